// Owns what a reader takes along: the chart as PNG or SVG, the table as CSV, the link.

import { picture } from "./picture.js";
import { tableRows } from "./view.js";

const MEDIA = { csv: "text/csv;charset=utf-8", svg: "image/svg+xml" };

const LONGEST = 120; // letters of a file's name: some file systems take no more than 255 bytes

// "zero-memory_stage-zero-3_gpus-64.csv": the file says which widget and which values it shows. Never a path, a hidden
// file, or a name with a second ending.
function fileName({ widget, params }, ending) {
  const values = Object.entries(params).map(([name, value]) => `${name}-${value}`);
  const name = [widget, ...values].join("_").replace(/[^\w-]+/g, "-").replace(/^-+/, "");
  return `${name.slice(0, LONGEST)}.${ending}`;
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// A spreadsheet computes what begins like a formula; a quote before it makes it text. A number with its unit stays one.
const inert = (text) => (/^(?:[=@\t\r]|[+-](?!\d[\d.,]*(?:\s?\S{1,6})?$))/.test(text) ? `'${text}` : text);
const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const cell = (text) => quoted(inert(text));

export function saveTable(element, view) {
  const text = tableRows(element).map((row) => row.map(cell).join(",")).join("\r\n");
  save(new Blob([`${text}\r\n`], { type: MEDIA.csv }), fileName(view, "csv"));
}

function bytes(address) {
  const [head, body] = [address.slice(0, address.indexOf(",")), address.slice(address.indexOf(",") + 1)];
  if (!head.endsWith(";base64")) return decodeURIComponent(body);
  return Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0));
}

// `words`: {title, lines}, which stand above the chart in the picture.
export async function saveImage(chart, view, format, words) {
  const address = await chart.image(format, (figure, legend) => picture(figure, legend, words));
  save(new Blob([bytes(address)], { type: MEDIA[format] ?? `image/${format}` }), fileName(view, format));
}

// Resolves when the link is on the clipboard; rejects where the browser refuses.
export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = Object.assign(document.createElement("textarea"), { value: text, readOnly: true });
  field.className = "visually-hidden";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (!done) throw new Error("refused");
}
