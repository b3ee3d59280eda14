// Owns the sentences for what went wrong, and the panel that says them: the cause, what still works, Retry, details.

import { t } from "./messages.js";
import { versions } from "./parts.js";

const CAUSES = {
  network: (error) => t("{asset} could not be fetched: the network request failed.", error),
  status: (error) =>
    error.got === "404"
      ? t("{asset} is not on the server (404). The site may have been updated since this page was loaded: reload it.", error)
      : t("{asset} could not be fetched: the server answered {got}.", error),
  html: (error) => t("The server sent a web page in place of {asset}.", error),
  type: (error) => t("{asset} was served as {got}, expected {expected}.", error),
  magic: (error) => t("{asset} has the wrong content: it begins with {got}, expected {expected}.", error),
  length: (error) => t("{asset} is not whole: {got} bytes arrived, expected {expected}.", error),
  damaged: (error) => t("{asset} was damaged on its way: its contents are not what this page expects.", error),
  packing: (error) => t("{asset} could not be unpacked: {detail}", error),
  stalled: (error) => t("{asset} stopped arriving: nothing came for {detail} seconds.", error),
  late: (error) => t("{asset} has not arrived after {detail} seconds.", error),
  silent: (error) => t("Python did not finish starting: no sign of life for {detail} seconds.", error),
  script: (error) => t("{asset} could not be run: {detail}", error),
  compile: (error) => t("The browser refused to compile {asset}: {detail}", error),
  worker: (error) => t("The browser did not start a background worker from {asset}: {detail}", error),
  version: (error) => t("{asset} is version {got}, expected {expected}. Reloading the page may help.", error),
  memory: (error) => t("The browser has not enough memory for Python: {detail}", error),
  snapshot: (error) => t("{asset} could not be restored: {detail}", error),
  start: (error) => t("Python stopped while it was starting: {detail}", error),
};

export const sentence = (error) => (CAUSES[error.cause] ?? CAUSES.start)(error);

function details(error) {
  const { pyodide, plotly, model } = versions;
  const lines = [`Pyodide ${pyodide}, Plotly ${plotly}, model ${model}`, location.href];
  for (const { also, ...one } of [error, ...(error.also ?? [])]) lines.push(JSON.stringify(one));
  return lines.join("\n");
}

const chartWords = () => [
  t("The chart could not be drawn."),
  t("The read-outs and the data table hold the same numbers, and they are correct."),
];
const engineWords = (live) => [
  t("Python could not start in this page."),
  live
    ? t("The chart, the read-outs and the table still show the last answer, and it is correct.")
    : t("The default chart, read-outs and table are correct; only new values cannot be computed."),
];

const told = new WeakMap(); // panel → the error it shows

// Show the panel of a widget, or hide it where there is no error. `part`: what failed, "chart" or "engine".
// `live`: the chart shows an answer, not the default.
export function showFailure(widget, error, part, live) {
  const panel = widget.querySelector(".sw-error");
  if ((told.get(panel) ?? null) === error) return;
  told.set(panel, error);
  panel.hidden = !error;
  if (!error) return;
  const say = (name, text) => (panel.querySelector(name).textContent = text);
  const [title, works] = part === "chart" ? chartWords() : engineWords(live);
  say(".sw-error-title", title);
  say(".sw-error-cause", sentence(error));
  say(".sw-error-works", works);
  say(".sw-retry", t("Retry"));
  say("summary", t("Technical details"));
  say(".sw-error-details", details(error));
}
