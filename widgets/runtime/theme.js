// Owns how a role looks: roles become colours by the page's custom properties, and patterns double them. The only file
// that knows the theme's attributes. It watches the colour scheme and printing, and tells whoever draws.

import { plain } from "./words.js";

const PATTERNS = { gradients: "/", optimizer: ".", batch: "/", logits: "x", buffers: "-", overhead: "|", idle: "x" };
const PATTERN = { fillmode: "overlay", size: 7, solidity: 0.18, fgopacity: 0.45 };
const LIGHT = "default"; // the theme's name for its light scheme, which paper always gets

const known = new Map(); // property → colour, as the scheme in force gives it
const listeners = new Set();
let printing = false;
let probe;
let brush;

// Plotly reads no custom properties and only the older colour notations, so the browser resolves both.
function resolve(property) {
  probe ??= Object.assign(document.createElement("span"), { hidden: true });
  probe.style.forcedColorAdjust = "none"; // where the browser replaces colours, a picture keeps its own
  if (printing) probe.dataset.mdColorScheme = LIGHT;
  else delete probe.dataset.mdColorScheme;
  const home = printing ? document.documentElement : document.body;
  if (probe.parentNode !== home) home.append(probe);
  probe.style.color = `var(${property})`;
  const colour = getComputedStyle(probe).color;
  if (colour.startsWith("rgb")) return colour;
  const canvas = () => Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  brush ??= canvas().getContext("2d", { willReadFrequently: true });
  brush.clearRect(0, 0, 1, 1);
  brush.fillStyle = colour;
  brush.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = brush.getImageData(0, 0, 1, 1).data;
  return `rgba(${red}, ${green}, ${blue}, ${alpha / 255})`;
}

function colour(property) {
  if (!known.has(property)) known.set(property, resolve(property));
  return known.get(property);
}

const fill = (role) => colour(role === "label" ? "--chart-ink" : `--role-${role}`);
const ink = (role) => colour(`--role-${role}-ink`);
const halo = (role) => (pattern(role) ? Array(6).fill(`0 0 3px ${fill(role)}`).join(", ") : "none");
const pattern = (role) => PATTERNS[role] ?? (/^rank-\d*[13579]$/.test(role) ? "/" : "");

function paintTrace(trace) {
  const role = trace.meta?.role;
  if (!role) return trace;
  if (trace.type === "bar") {
    trace.marker = { line: { width: 0 }, ...trace.marker, color: fill(role) };
    const ground = colour("--chart-ground");
    trace.marker.pattern = { ...PATTERN, fgcolor: ground, shape: pattern(role), ...trace.marker.pattern };
    // Words stand on a pattern: a halo of the fill keeps them readable.
    trace.insidetextfont = { ...trace.insidetextfont, color: ink(role), shadow: halo(role) };
    trace.outsidetextfont = { ...trace.outsidetextfont, color: colour("--chart-ink") };
    return trace;
  }
  const dash = role === "capacity" ? "dash" : "solid";
  trace.line = { width: 2, dash, ...trace.line, color: fill(role) };
  trace.marker = { ...trace.marker, color: fill(role) };
  trace.textfont = { ...trace.textfont, color: fill(role) };
  return trace;
}

// A copy of a plain figure with colours and the page's type. `size`: {width, height} in pixels.
export function paint(figure, size, font) {
  const { data, layout } = plain(structuredClone(figure));
  const [text, muted, grid, ground] = ["ink", "muted", "grid", "ground"].map((name) => colour(`--chart-${name}`));
  for (const name of Object.keys(layout).filter((each) => /^[xy]axis\d*$/.test(each))) {
    const lines = { gridcolor: grid, zerolinecolor: muted, linecolor: muted, tickcolor: muted };
    layout[name] = { automargin: true, ...lines, tickfont: { color: muted }, ...layout[name] };
  }
  return {
    data: data.map(paintTrace),
    layout: {
      ...layout,
      ...size,
      autosize: false,
      paper_bgcolor: ground,
      plot_bgcolor: ground,
      font: { size: 13, ...layout.font, family: font, color: text },
      hoverlabel: { bgcolor: ground, bordercolor: muted, font: { family: font, color: text } },
    },
  };
}

// Hear when what is painted has to be painted again.
export function onRepaint(listener, signal) {
  listeners.add(listener);
  signal.addEventListener("abort", () => listeners.delete(listener));
}

export const isPrinting = () => printing;

const tell = () => [...listeners].forEach((listener) => listener());

// The theme changes attributes for other reasons too: only a colour that moved counts.
function look() {
  const before = [...known];
  known.clear();
  if (before.some(([property, was]) => colour(property) !== was)) tell();
}

function print(now) {
  if (printing === now) return;
  printing = now;
  known.clear();
  tell();
}

const attributes = ["data-md-color-scheme", "data-md-color-primary", "data-md-color-accent", "class", "style"];
const observer = new MutationObserver(look);
for (const element of [document.documentElement, document.body]) {
  observer.observe(element, { attributes: true, attributeFilter: attributes });
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", look);
const paper = matchMedia("print");
paper.addEventListener("change", () => print(paper.matches));
addEventListener("beforeprint", () => print(true));
addEventListener("afterprint", () => print(paper.matches));
