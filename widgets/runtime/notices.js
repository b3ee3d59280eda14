// Owns what a widget says about itself: the engine's stage with the percentage, how far a long computation is, what went
// wrong with one change, the note about a link, and the panel of an engine that could not start.

import { showFailure } from "./failure.js";
import { host } from "./host.js";
import { t } from "./messages.js";
import { changelog } from "./places.js";
import { status } from "./status.js";

const STAGES = {
  idle: () => "",
  fetching: () => t("Downloading Python"),
  starting: () => t("Starting Python"),
  ready: () => t("Ready: Python in this browser computes every answer."),
  failed: () => "",
};

// The percentage is a progress bar in words: it changes often, so it is no part of what the status line announces.
function progressBar() {
  const bar = document.createElement("span");
  bar.className = "sw-progress";
  const attributes = { role: "progressbar", "aria-valuemin": "0", "aria-valuemax": "100", "aria-live": "off" };
  for (const [name, value] of Object.entries(attributes)) bar.setAttribute(name, value);
  return bar;
}

// Show the engine's stage; in its place how far a long computation is, or what went wrong.
function showStage(line, now, { trouble, work }) {
  const text = trouble || (work ? t("Computing") : STAGES[now.stage]());
  const words = line.firstChild ?? line.appendChild(document.createTextNode(""));
  const bar = line.querySelector(".sw-progress");
  const percent = work ? work.share && Math.floor(100 * work.share) : now.stage === "fetching" ? now.percent : null;
  if (trouble || percent === null) {
    bar?.remove();
    if (words.data !== text) words.data = text;
    if (!text) words.remove(); // an empty line takes no room
    return;
  }
  if (words.data !== `${text}: `) words.data = `${text}: `;
  const shown = bar ?? line.appendChild(progressBar());
  shown.setAttribute("aria-label", work ? t("Share of the answer computed") : t("Share of Python downloaded"));
  shown.setAttribute("aria-valuenow", String(percent));
  shown.textContent = t("{percent} %", { percent });
}

export class Notices {
  awake = false; // the reader has come near; until then the widget keeps quiet about the engine
  trouble = ""; // what went wrong with the last change
  work = null; // {share: of a long computation that is done, null where it doesn't say}
  note = ""; // what there is to say about the link
  moved = ""; // that it was made with other numbers
  undrawn = null; // what kept the chart from being drawn

  // `state` tells {live, waits}: the chart shows an answer, and an answer is awaited. `acts`: {redraw, cancel}, which
  // draw the chart again and stop the computation.
  constructor(element, signal, state, acts) {
    this.element = element;
    this.state = state;
    this.acts = acts;
    this.line = element.querySelector(".sw-status");
    this.aside = element.querySelector(".sw-link-note");
    this.stop = element.querySelector(".sw-cancel");
    this.stop.addEventListener("click", () => this.cancel(), { signal });
    Object.assign(this.aside.lastElementChild, { href: changelog, textContent: t("See which numbers moved") });
    element.querySelector(".sw-retry").addEventListener("click", () => this.retry(), { signal });
    status.listen(() => this.show(), signal);
  }

  set(more) {
    Object.assign(this, more);
    this.show();
  }

  show() {
    const { now } = status;
    const { live, waits } = this.state();
    Object.assign(this.element.dataset, { stage: now.stage, start: now.mode });
    const early = waits && !live && !["ready", "failed"].includes(now.stage);
    const late = early ? t("Until Python answers, the chart shows the default values.") : "";
    const words = [this.note, late, this.moved].filter(Boolean).join(" ");
    const [said, link] = this.aside.children;
    if (said.textContent !== words) said.textContent = words;
    this.aside.hidden = !words;
    link.hidden = !this.moved;
    if (this.awake) showStage(this.line, now, this);
    this.stop.hidden = !this.work;
    const failed = this.awake ? now.error : null;
    showFailure(this.element, failed ?? this.undrawn, failed ? "engine" : "chart", live);
  }

  // A button that was pressed goes away: the status line takes the focus.
  leaveButton() {
    this.line.tabIndex = -1;
    this.line.focus();
  }

  cancel() {
    this.leaveButton();
    this.acts.cancel();
  }

  retry() {
    this.leaveButton();
    if (this.undrawn) this.acts.redraw();
    if (status.now.stage === "failed") host.retry();
  }
}
