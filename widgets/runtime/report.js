// Owns the report of a wrong number: what is shown, with the plan and the version, in a form that its reader can check.
// The page sends nothing: it fills in a link, or gives the text to copy.

import { t } from "./messages.js";

const title = (visit) => t("A number looks wrong: {widget}", { widget: visit.element.querySelector(".sw-title").textContent });

export function report(visit) {
  const { shown, controls, version } = visit;
  const set = controls.map(({ name, label, text }) => t("{label}: {value}", { label, value: text(shown.params[name]) }));
  const read = shown.readouts.map(({ label, value, note }) => t("{label}: {value}", { label, value: `${value} ${note}`.trim() }));
  return [
    t("Which number, what you expected, and where that is published or how you measured it:"),
    "",
    "",
    t("What the page shows:"),
    ...[...set, ...read].map((line) => `- ${line}`),
    "",
    t("Model {version}", { version }),
    JSON.stringify(shown.plan),
    visit.shared(visit.asShown()),
  ].join("\n");
}

// Fill in the widget's link to the form, if it has one.
export function reportOn(visit) {
  const link = visit.element.querySelector("a.sw-report");
  if (link) link.search = new URLSearchParams({ title: title(visit), body: report(visit) });
}
