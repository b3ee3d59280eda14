// Owns what only paper needs from a widget: its values and its link in words, in place of the controls.

import { t } from "./messages.js";
import { isPrinting, onRepaint } from "./theme.js";

// `values` gives pairs of label and text; `link` the address.
export function printable(widget, signal, values, link) {
  let note = null;
  onRepaint(() => {
    note?.remove();
    note = null;
    if (!isPrinting()) return;
    note = Object.assign(document.createElement("p"), { className: "sw-print" });
    const words = values().map(([label, text]) => t("{label}: {value}", { label, value: text }));
    note.textContent = [...words, link()].join(" · ");
    widget.querySelector(".sw-caption").after(note);
  }, signal);
}
