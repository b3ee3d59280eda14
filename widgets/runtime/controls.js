// Owns the controls: each one reads its inputs, shows a value at once, and says when the reader changed it.
// A control is {name, named, label, initial, value, legal, set(value), parse(text), mark(message), say(text), text(value)};
// `legal` is the last value that was in range; one that is `named` has another default elsewhere on the site.

import { pageKey, sliderKey } from "./keys.js";
import { t } from "./messages.js";

const nearest = (stops, value) =>
  stops.reduce((best, stop, place) => (Math.abs(stop - value) < Math.abs(stops[best] - value) ? place : best), 0);

const hasModifier = ({ altKey, ctrlKey, metaKey, shiftKey }) => altKey || ctrlKey || metaKey || shiftKey;

function slider(box, signal, changed) {
  const range = box.querySelector(".sw-range");
  const number = box.querySelector(".sw-number");
  const error = box.querySelector(".sw-field-error");
  const [least, most] = [Number(box.dataset.min), Number(box.dataset.max)];
  const stops = JSON.parse(box.dataset.stops);
  const texts = JSON.parse(box.dataset.texts);
  const label = box.querySelector(".sw-label").textContent.trim();
  const isLegal = (value) => Number.isInteger(value) && value >= least && value <= most;
  let legal = Number(box.dataset.default);

  function place(value) {
    if (!isLegal(value)) return;
    legal = value;
    const at = nearest(stops, value);
    range.value = String(at);
    control.say(stops[at] === value ? texts[at] : String(value));
  }
  const control = {
    name: box.dataset.control,
    named: "named" in box.dataset,
    label,
    initial: legal,
    value: legal,
    get legal() {
      return legal;
    },
    set(value) {
      control.value = value;
      number.value = String(value);
      place(value);
    },
    // What a link says, made legal: {value, note}.
    parse(text) {
      const asked = text.trim() === "" ? NaN : Number(text);
      if (Number.isNaN(asked)) {
        const note = t("{label}: the link's value is not a number; the default is used.", { label });
        return { value: control.initial, note };
      }
      const value = Math.min(most, Math.max(least, Math.round(asked)));
      if (value === asked) return { value, note: "" };
      return { value, note: t("{label}: the link's value is not allowed here; {value} is used.", { label, value }) };
    },
    mark(message) {
      if (message) number.setAttribute("aria-invalid", "true");
      else number.removeAttribute("aria-invalid");
      error.textContent = message;
      error.hidden = !message;
    },
    say: (text) => range.setAttribute("aria-valuetext", text),
    text: String,
  };
  function move(value) {
    if (value === control.value) return;
    control.set(value);
    changed(control);
  }

  const on = (element, name, act, more) => element.addEventListener(name, act, { signal, ...more });
  on(range, "input", () => move(stops[range.valueAsNumber]));
  on(number, "input", () => {
    control.value = number.value === "" ? "" : number.valueAsNumber;
    place(control.value);
    changed(control);
  });
  on(range, "keydown", (event) => {
    if (hasModifier(event)) return;
    const to = sliderKey(event.key, legal, stops, getComputedStyle(range).direction === "rtl");
    if (to === undefined) return;
    event.preventDefault();
    move(to);
  });
  on(number, "keydown", (event) => {
    if (hasModifier(event)) return;
    const to = event.key === "Escape" && control.value !== legal ? legal : pageKey(event.key, legal, stops);
    if (to === undefined) return;
    event.preventDefault();
    move(to);
  });
  // Scrolling the page with the wheel must not turn the number under the pointer.
  on(number, "wheel", () => number.blur(), { passive: true });
  // A swipe that the browser takes for scrolling leaves the value as it was.
  let before = legal;
  on(range, "pointerdown", () => (before = control.value));
  on(range, "pointercancel", () => move(before));
  return control;
}

function choice(box, signal, changed) {
  const inputs = [...box.querySelectorAll("input")];
  const label = box.querySelector(".sw-label").textContent.trim();
  const control = {
    name: box.dataset.control,
    named: "named" in box.dataset,
    label,
    initial: box.dataset.default,
    value: box.dataset.default,
    get legal() {
      return control.value;
    },
    set(value) {
      control.value = value;
      for (const input of inputs) input.checked = input.value === value;
    },
    parse(text) {
      if (inputs.some((input) => input.value === text)) return { value: text, note: "" };
      const note = t("{label}: the link's value is not one of the options; the default is used.", { label });
      return { value: control.initial, note };
    },
    mark() {},
    say() {},
    text: (value) => inputs.find((input) => input.value === value)?.labels[0].textContent.trim() ?? value,
  };
  const pick = ({ target }) => {
    control.value = target.value;
    changed(control);
  };
  for (const input of inputs) input.addEventListener("change", pick, { signal });
  return control;
}

const KINDS = { slider, choice };

export function readControls(widget, signal, changed) {
  widget.querySelector(".sw-controls").addEventListener("submit", (event) => event.preventDefault(), { signal });
  const boxes = [...widget.querySelectorAll("[data-control]")];
  const controls = boxes.map((box) => KINDS[box.dataset.kind](box, signal, changed));
  // A browser may have kept what was typed before a reload; the link and the default decide.
  for (const control of controls) control.set(control.initial);
  return controls;
}
