// Owns what a widget says in HTML: read-outs, legend, caption, table and the chart's one-sentence name are changed in
// place, only where they differ; and the live region speaks one message for each settled change.

import { settings } from "./settings.js";

function write(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Bring the children of `parent` to one for each item: `create` makes one, `update` fills it.
function each(parent, items, create, update) {
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  items.forEach((item, place) => update(parent.children[place] ?? parent.appendChild(create(item)), item));
}

function readout({ main }) {
  const value = make("dd", {}, make("span", { class: "sw-value" }), " ", make("span", { class: "sw-note" }));
  return make("div", { class: main ? "sw-readout sw-readout--main" : "sw-readout" }, make("dt"), value);
}

function row(cells) {
  return make("tr", {}, ...cells.map((_, place) => (place ? make("td") : make("th", { scope: "row" }))));
}

export function showView(widget, view) {
  const find = (selector) => widget.querySelector(selector);
  each(find(".sw-readouts"), view.readouts, readout, (element, item) => {
    element.dataset.key = item.key;
    element.dataset.state = item.state;
    write(element.querySelector("dt"), item.label);
    write(element.querySelector(".sw-value"), item.value);
    write(element.querySelector(".sw-note"), item.note);
  });
  const swatch = () => make("li", {}, make("span", { class: "sw-swatch" }), "");
  each(find(".sw-legend"), view.legend, swatch, (element, item) => {
    element.firstElementChild.dataset.role = item.role;
    if (element.lastChild.data !== item.label) element.lastChild.data = item.label;
  });
  write(find(".sw-caption"), view.caption);
  find(".sw-chart").setAttribute("aria-label", view.summary);
  const { caption, columns, rows } = view.table;
  const table = find(".sw-data table");
  write(table.caption, caption);
  table.closest("[role=region]")?.setAttribute("aria-label", caption);
  each(table.tHead.rows[0], columns, () => make("th", { scope: "col" }), write);
  each(table.tBodies[0], rows, row, (element, cells) => each(element, cells, () => make("td"), write));
}

// The table as it stands, as rows of texts: what the CSV holds and what a reader sees are the same cells.
export function tableRows(widget) {
  return [...widget.querySelectorAll(".sw-data tr")].map((line) => [...line.cells].map((cell) => cell.textContent));
}

// A function that puts a text into the live region `after` a pause, at most one a second: the last one counts.
export function speaker(region, signal) {
  let last = -Infinity;
  let timer = 0;
  signal.addEventListener("abort", () => clearTimeout(timer));
  return (text, after = 0) => {
    clearTimeout(timer);
    const pause = Math.max(after, last + settings.announceEvery - performance.now());
    timer = setTimeout(() => {
      last = performance.now();
      region.textContent = text;
    }, pause);
  };
}
