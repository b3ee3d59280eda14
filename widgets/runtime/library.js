// Owns fetching the charts' library: once, when the first chart comes near the window.

import { diagnose, failure } from "./assets.js";
import manifest from "./manifest.js";
import { settings } from "./settings.js";

const url = new URL(manifest.plotly.url, import.meta.url).href;
export const FILE = { ...manifest.plotly, url, name: url.split("/").at(-1), type: "text/javascript" };

let arrived; // a promise of the library
let settle; // what fulfils or breaks it

// Ask for the script. Until one has come, each request may bring it.
export function request() {
  const { resolve, reject } = settle;
  const script = document.createElement("script");
  script.src = FILE.url;
  const refuse = async (event) => reject(await diagnose(FILE.url, FILE, event.type));
  // Running the library and drawing with it are two tasks: the page answers in between. A file that is no script, or
  // half of one, counts as loaded too.
  script.onload = (event) => (globalThis.Plotly ? setTimeout(() => resolve(keepStyles())) : refuse(event));
  script.onerror = refuse;
  document.head.append(script);
}

// Resolves once the library runs. `late` hears that it has been waited for long enough; it may come all the same.
export function library(late) {
  arrived ??= new Promise((resolve, reject) => {
    settle = { resolve, reject };
    request();
  }).catch((error) => {
    arrived = undefined; // the next drawing tries again
    throw error;
  });
  const seconds = String(settings.startTimeout / 1000);
  const patience = setTimeout(() => late(failure("late", FILE.name, { detail: seconds })), settings.startTimeout);
  return arrived.finally(() => clearTimeout(patience));
}

// Instant navigation empties the head of what isn't the theme's; Plotly's rules live on as an adopted sheet.
function keepStyles() {
  const style = document.querySelector('style[id^="plotly.js-style"]');
  if (!style || !("adoptedStyleSheets" in document)) return;
  const sheet = new CSSStyleSheet();
  for (const rule of style.sheet.cssRules) sheet.insertRule(rule.cssText, sheet.cssRules.length);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}
