// Owns one stay of a <shard-widget> in a page: it joins the parts and lets go of them when the element leaves.
//
//   enters → default drawn → (the reader comes near, or the link has values: the engine starts)
//   control moved → shown at once → asked → answered → drawn, `data-revision` + 1 → settled: link, live region
//   leaves → listeners, chart and waiting calls are dropped; the engine stays for the next page

import { client } from "./client.js";
import { readControls } from "./controls.js";
import { bringToLife, INTENT } from "./foot.js";
import { host } from "./host.js";
import { keepLetters } from "./keys.js";
import { learn, t } from "./messages.js";
import { Notices } from "./notices.js";
import { printable } from "./paper.js";
import { Chart } from "./plot.js";
import { sitePage } from "./places.js";
import { prefetch } from "./prefetch.js";
import { settings } from "./settings.js";
import { carryAlong, linkFor, linkOn, readLink, sharedLink, writeLink } from "./state.js";
import { status } from "./status.js";
import { versionNote } from "./version.js";
import { showView, speaker } from "./view.js";

export class Visit {
  timer = 0;
  path = location.pathname;
  arrival = location.search;

  constructor(element, signal) {
    this.element = element;
    this.signal = signal;
    this.prefix = element.dataset.prefix ?? "";
    this.version = element.dataset.version;
    const find = (selector) => element.querySelector(selector);
    learn(find(".sw-strings"));
    this.shown = this.seed = JSON.parse(find(".sw-seed").content.textContent);
    this.controls = readControls(element, signal, (control) => this.change(control));
    this.speak = speaker(find(".sw-live"), signal);
    const state = () => ({ live: this.shown !== this.seed, waits: client.waits(this) });
    this.notices = new Notices(element, signal, state, {
      redraw: () => this.chart.retry(),
      cancel: () => client.cancel(this),
    });
    this.chart = new Chart(find(".sw-chart"), signal, {
      drawn: () => this.drawn(),
      failed: (undrawn) => this.notices.set({ undrawn }),
    });
    showView(element, this.seed);
    this.chart.show(this.seed);
    this.listen(signal);
    this.follow();
  }

  listen(signal) {
    const { element } = this;
    for (const name of INTENT) element.addEventListener(name, () => this.wake(), { signal, passive: true });
    keepLetters(element, signal);
    // A click may lead away: what was just set belongs to the page it leaves.
    const leave = ({ target }) => {
      if (element.dataset.settled === "false") this.settle();
      carryAlong(target, this.arrival);
    };
    addEventListener("click", leave, { signal, capture: true });
    addEventListener("popstate", () => location.pathname === this.path && this.follow(), { signal });
    bringToLife(this, signal);
    const values = () => this.controls.map(({ name, label, text }) => [label, text(this.shown.params[name])]);
    printable(element, signal, values, () => this.shared(this.asShown()));
    signal.addEventListener("abort", () => (clearTimeout(this.timer), client.drop(this)));
  }

  link = () => linkFor(this.controls, this.prefix);

  // The link for somebody else; a widget inside another page gives that of the lesson.
  shared(controls = this.controls) {
    const { page, pagePrefix } = this.element.dataset;
    if (page === undefined) return sharedLink(controls, this.prefix, this.version);
    return linkOn(sitePage(page), controls, pagePrefix, this.version);
  }

  // The controls as they stood when what is shown was asked: a picture's link leads to what is in the picture.
  asShown = () => this.controls.map(({ name, initial, named }) => ({ name, initial, named, legal: this.shown.params[name] }));

  // Take the values of the address: on arrival, and when Back or Forward changed it.
  follow() {
    const { values, note, version } = readLink(this.controls, this.prefix);
    const moved = this.controls.filter(({ name, value }) => value !== values[name]);
    for (const control of moved) control.set(values[control.name]);
    if (moved.length) this.ask();
    this.notices.set({ note, moved: versionNote(version, this.version) });
  }

  wake() {
    if (this.notices.awake) return;
    host.start();
    this.notices.set({ awake: true });
  }

  change(changed) {
    this.changed = changed;
    this.element.dataset.settled = "false";
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), settings.settle);
    this.ask();
    this.notices.set({ trouble: "", note: "", moved: "" });
  }

  settle() {
    clearTimeout(this.timer);
    if (location.pathname === this.path) writeLink(this.link());
    this.element.dataset.settled = "true";
  }

  ask() {
    // The default is here already: no engine is needed to show it.
    if (status.now.stage !== "ready" && this.controls.every(({ value, initial }) => value === initial)) {
      client.drop(this);
      this.draw(this.seed);
      return;
    }
    // An illegal number is asked about once, for the model's own words; any other change goes on without it.
    const asked = (control) => (control === this.changed ? control.value : control.legal);
    const params = JSON.stringify(Object.fromEntries(this.controls.map((control) => [control.name, asked(control)])));
    if (this.notices.work) this.notices.work = { share: null }; // how far the one before was says nothing of this one
    client.ask(this, { name: this.element.getAttribute("name"), params, locale: this.element.dataset.locale ?? "en" });
    this.notices.awake = true;
  }

  // What the client calls back: an answer, an error that Python raised, how far a long computation is, or word that it
  // was stopped.
  answered(view) {
    if (!view.error) return this.draw(view);
    this.notices.set({ work: null });
    const { field, message } = view.error;
    for (const control of this.controls) {
      if (control.name === field) control.mark(message);
      else if (control.value === control.legal) control.mark("");
    }
    this.speak(message, settings.settle);
    if (!this.controls.some(({ name }) => name === field)) this.fret(message);
  }

  raised(message, memory) {
    if (memory) return this.fret(t("This answer could not be computed: the browser has not enough memory for it."));
    this.fret(t("This answer could not be computed: {message}", { message: message.trim().split("\n").at(-1) }));
  }

  working(share) {
    this.notices.set({ work: { share }, trouble: "" });
  }

  hung() {
    this.fret(this.shown === this.seed
      ? t("This computation took too long and was stopped. The chart still shows the default values.")
      : t("This computation took too long and was stopped. The chart still shows the last answer."));
  }

  cancelled() {
    this.fret(this.shown === this.seed
      ? t("The computation was cancelled. The chart still shows the default values.")
      : t("The computation was cancelled. The chart still shows the last answer."));
  }

  async draw(view) {
    this.shown = view;
    Object.assign(this.notices, { trouble: "", work: null });
    showView(this.element, view);
    for (const control of this.controls) {
      if (control.value === control.legal) control.mark("");
      if (view.controls[control.name]) control.say(view.controls[control.name].text);
    }
    await this.chart.show(view);
    if (this.signal.aborted) return;
    this.element.dataset.revision = String(Number(this.element.dataset.revision) + 1);
    this.speak(view.summary, settings.settle);
    this.notices.show();
  }

  drawn() {
    this.element.dataset.drawn = this.shown === this.seed ? "default" : "live";
    if (this.notices.undrawn) this.notices.set({ undrawn: null });
    prefetch();
  }

  fret = (trouble) => this.notices.set({ trouble, work: null });

  say(note) {
    this.speak(note);
    this.notices.set({ note });
  }
}
