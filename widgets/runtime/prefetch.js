// Owns fetching ahead: when the page has nothing else to do and the connection costs nothing, the engine's files are
// asked for at the lowest priority. It fills the browser's cache and starts nothing.

import { address, files, parts } from "./parts.js";
import { settings } from "./settings.js";
import { status } from "./status.js";

let asked = false;

function isFree() {
  // A browser that says nothing about the connection may be on a metered phone.
  if (!navigator.connection) return matchMedia("(hover: hover) and (pointer: fine)").matches;
  const { saveData = false, effectiveType = "4g", type = "" } = navigator.connection;
  return !saveData && effectiveType === "4g" && type !== "cellular";
}

function ask() {
  if (status.now.stage !== "idle") return;
  const scripts = [new URL("./worker.js", import.meta.url).href];
  for (const href of [...scripts, ...parts(settings.start).map((name) => address(files[name]))]) {
    const as = href.endsWith(".js") ? "script" : "fetch";
    document.head.append(Object.assign(document.createElement("link"), { rel: "prefetch", as, href }));
  }
}

// Called once the first default chart is drawn.
export function prefetch() {
  // Inside another page it would be that page's readers who pay for megabytes that few of them need.
  if (asked || parent !== self || !settings.prefetch || !isFree()) return;
  asked = true;
  const idle = globalThis.requestIdleCallback ?? ((act) => setTimeout(act, 2_000));
  const wait = () => idle(ask, { timeout: 10_000 });
  if (document.readyState === "complete") wait();
  else addEventListener("load", wait, { once: true });
}
