// Owns the row of actions at a widget's foot: what each button does, and what is said about it.

import { copy, saveImage, saveTable } from "./export.js";
import { t } from "./messages.js";
import { report, reportOn } from "./report.js";
import { snippet } from "./snippet.js";

const ACTIONS = {
  reset(visit) {
    for (const control of visit.controls) control.set(control.initial);
    visit.change();
    visit.settle();
  },
  link(visit) {
    visit.settle();
    return take(visit, visit.shared(), t("Link copied."));
  },
  plan: (visit) => take(visit, planOf(visit), t("Plan copied.")),
  command: (visit) => take(visit, commandOf(visit), t("Command copied: run it in the repository's folder.")),
  embed: (visit) => take(visit, snippet(visit), t("Code copied: paste it into the HTML of your page.")),
  report: (visit) => take(visit, report(visit), t("Report copied: send it to whoever runs this site.")),
  more(visit, button) {
    const open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(open));
    visit.element.querySelector(".sw-more").hidden = !open;
  },
  csv: (visit) => saveTable(visit.element, visit.shown),
  png: (visit) => picture(visit, "png"),
  svg: (visit) => picture(visit, "svg"),
};

// What is shown, as the command line reads it.
const planOf = (visit) => JSON.stringify(visit.shown.plan);
const commandOf = (visit) => `echo '${planOf(visit).replaceAll("'", "'\\''")}' | python3 -m model memory -`;

// Where the browser refuses, the text is shown instead, marked.
async function take(visit, text, done) {
  const box = visit.element.querySelector(".sw-copy");
  try {
    await copy(text);
    box.hidden = true;
    visit.say(done);
  } catch {
    const field = box.querySelector("textarea");
    field.value = text;
    box.hidden = false;
    field.focus();
    field.select();
    visit.say(t("The browser did not allow copying: copy the marked text yourself."));
  }
}

async function picture(visit, format) {
  try {
    visit.settle();
    const title = visit.element.querySelector(".sw-title").textContent;
    await saveImage(visit.chart, visit.shown, format, { title, lines: [visit.shown.summary, visit.shared(visit.asShown())] });
  } catch {
    visit.say(t("The picture could not be made: the chart is not drawn."));
  }
}

export { reportOn };
export const act = (visit, button) => ACTIONS[button.dataset.action]?.(visit, button);
