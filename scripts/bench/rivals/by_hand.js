// The widget without Python: the same markup, style and charts, and a worker that computes the view in JavaScript. What
// follows the answer is the lesson's own code: the text is changed and the figure painted as there.

const { runtime } = document.documentElement.dataset;
const load = (name) => import(new URL(runtime + name, location.href));
const [{ paint }, { showView }] = await Promise.all(["theme.js", "view.js"].map(load));

customElements.define("shard-widget", class extends HTMLElement {}); // the style hides the controls of an unknown one

const CONFIG = { displayModeBar: false, displaylogo: false, scrollZoom: false, doubleClick: false, responsive: false };
const widget = document.querySelector("shard-widget");
const find = (selector) => widget.querySelector(selector);
const [box, plot, range, number] = [".sw-chart", ".sw-plot", ".sw-range", ".sw-number"].map(find);
const { stops, texts } = find("[data-stops]").dataset;
const [values, spoken] = [JSON.parse(stops), JSON.parse(texts)];
const size = { width: Math.round(box.clientWidth), height: Math.round(box.clientHeight) };
const font = getComputedStyle(box).fontFamily;

async function draw(view) {
  showView(widget, view);
  const { data, layout } = paint(view.figure, size, font);
  await Plotly.react(plot, data, layout, CONFIG);
  for (const part of plot.querySelectorAll(".svg-container, .main-svg")) {
    if (part.matches("svg")) part.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    Object.assign(part.style, { width: `${size.width}px`, height: `${size.height}px` });
  }
  widget.dataset.stage = "ready";
  widget.dataset.revision = String(Number(widget.dataset.revision) + 1);
}

const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
worker.onmessage = ({ data }) => draw(data);

function ask() {
  const gpus = values[range.valueAsNumber];
  number.value = String(gpus);
  range.setAttribute("aria-valuetext", spoken[range.valueAsNumber]);
  worker.postMessage({ stage: find("input[type=radio]:checked").value, gpus });
}
for (const input of widget.querySelectorAll("input")) input.addEventListener("input", ask);
ask();
