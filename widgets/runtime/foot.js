// Owns when a widget's foot comes to life: what its buttons do is fetched once the reader comes near the widget, so that
// who only reads does not wait for it.

import { t } from "./messages.js";
import { settings } from "./settings.js";

export const INTENT = ["pointerenter", "pointerdown", "touchstart", "focusin"];

let acts = null;
let coming = null;
let late = false;

// A fetch that failed is tried again the next time that the reader comes near; some browsers keep the failure, though.
const fetchActs = () => (coming ??= import("./actions.js").then(
  (module) => (acts = module),
  (thrown) => {
    coming = null;
    throw thrown;
  },
));

const LOST = () => t("The script of these buttons, actions.js, did not arrive. Check the connection, then reload the page.");
const patience = () => new Promise((_, reject) => setTimeout(reject, settings.startTimeout));

export function bringToLife(visit, signal) {
  // What is here already acts at once: a browser lets a press copy only while it lasts.
  const near = () => (acts ? acts.reportOn(visit) : fetchActs().then(() => acts.reportOn(visit)).catch(() => {}));
  const press = async ({ target }) => {
    acts?.reportOn(visit);
    if (!acts && target.closest("a.sw-report")) return visit.say(`${t("The form opens empty.")} ${LOST()}`);
    const button = target.closest("[data-action]");
    if (!button) return;
    if (!acts && !late) await Promise.race([fetchActs(), patience()]).catch(() => (late = true));
    if (acts) acts.act(visit, button);
    else visit.say(LOST());
  };
  for (const name of INTENT) visit.element.addEventListener(name, near, { signal, passive: true });
  visit.element.querySelector(".sw-actions").addEventListener("click", press, { signal });
}
