// Owns the chart. The only file that knows Plotly: it draws, updates, resizes and removes.
//
//   told what to show → (near the window?) → library → drawn → drawn again: new view, width, scheme → purged
//
// A chart is drawn once in a frame: of what it's told meanwhile it draws the latest alone, in the next one.

import { asFailure } from "./assets.js";
import { tameHover } from "./hover.js";
import { FILE, library, request } from "./library.js";
import { settings } from "./settings.js";
import { isPrinting, onRepaint, paint } from "./theme.js";

const CONFIG = { displayModeBar: false, displaylogo: false, scrollZoom: false, doubleClick: false, responsive: false };
const NEAR = "600px";
const PAPER_WIDTH = 520; // px: a sheet's layout isn't known before it is printed, so the picture is made to scale

export class Chart {
  #box;
  #plot;
  #signal;
  #view = null;
  #near = false;
  #drawing = null;
  #again = false;
  #room = { width: 0, height: 0 };
  #drawn = false;
  #frame = null; // resolves in the frame after the one that was last drawn for
  #font = "";

  // `on`: {drawn, failed}, called after each drawing and with the plain object of what went wrong.
  constructor(box, signal, on) {
    this.#box = box;
    this.#plot = box.querySelector(".sw-plot");
    this.#signal = signal;
    this.on = on;
    box.dir = "ltr";
    const seen = (entries) => entries.at(-1).isIntersecting && this.#come();
    const near = new IntersectionObserver(seen, { rootMargin: NEAR });
    near.observe(box);
    // The room is told, never asked for: asking while the page changes would make it lay itself out twice.
    const sized = new ResizeObserver(([{ contentRect: { width, height } }]) => {
      this.#room = { width: Math.round(width), height: Math.round(height) };
      this.#draw();
    });
    sized.observe(box);
    onRepaint(() => {
      this.#font = "";
      return isPrinting() ? this.#come() : this.#draw();
    }, signal);
    signal.addEventListener("abort", () => {
      near.disconnect();
      sized.disconnect();
      this.#purge();
    });
  }

  // Resolves when the view, or one that came after it, is drawn; at once while the chart is far away.
  show(view) {
    this.#view = view;
    const { height, height_narrow: narrow } = view.figure.layout.meta ?? {};
    if (height) this.#box.style.setProperty("--h", `${height}px`);
    if (narrow) this.#box.style.setProperty("--h-narrow", `${narrow}px`);
    return this.#draw();
  }

  // The picture as a data address: "png" or "svg", of what `compose` makes of the painted figure and its legend.
  async image(format, compose) {
    await this.#come();
    if (!this.#drawn) throw new Error("not drawn");
    const { figure, legend } = this.#view;
    const whole = compose(paint(figure, this.#room, this.#font), legend);
    const { width, height } = whole.layout;
    return Plotly.toImage(whole, { format, width, height, scale: format === "png" ? 2 : 1 });
  }

  // Draw again after the library could not be had; what the browser keeps of it is fetched anew.
  async retry() {
    const signal = AbortSignal.timeout(settings.startTimeout);
    await fetch(FILE.url, { cache: "reload", signal }).catch(() => {}); // the drawing itself says what is wrong
    if (this.#drawing && !globalThis.Plotly) request(); // it is waited for
    return this.#draw();
  }

  #come() {
    this.#near = true;
    return this.#draw();
  }

  #draw() {
    if (!this.#near || !this.#view || !this.#room.width) return Promise.resolve();
    this.#again = true;
    this.#drawing ??= this.#drawAll().finally(() => {
      this.#drawing = null;
      if (this.#signal.aborted) this.#purge(); // it left while it was being drawn
    });
    return this.#drawing;
  }

  async #drawAll() {
    try {
      if (!this.#drawn) await library((error) => !this.#signal.aborted && this.on.failed(error));
      while (this.#again && !this.#signal.aborted) {
        if (!isPrinting()) await this.#frame; // paper doesn't wait
        if (this.#signal.aborted) return;
        this.#again = false;
        const size = isPrinting() ? { ...this.#room, width: PAPER_WIDTH } : this.#room;
        this.#font ||= getComputedStyle(this.#box).fontFamily;
        const { data, layout } = paint(this.#view.figure, size, this.#font);
        await Plotly.react(this.#plot, data, layout, CONFIG);
        if (!this.#drawn) tameHover(this.#plot, this.#signal, () => Plotly.Fx.unhover(this.#plot));
        this.#frame = new Promise(requestAnimationFrame);
        this.#drawn = true;
        this.#fit(size);
        this.on.drawn();
      }
    } catch (error) {
      if (!this.#signal.aborted) this.on.failed(asFailure(error, "script", FILE.name));
    }
  }

  // On paper the picture fills whatever room the sheet leaves it.
  #fit({ width, height }) {
    const style = isPrinting() ? { width: "100%", height: "100%" } : { width: `${width}px`, height: `${height}px` };
    for (const part of this.#plot.querySelectorAll(".svg-container, .main-svg")) {
      if (part.matches("svg")) part.setAttribute("viewBox", `0 0 ${width} ${height}`);
      Object.assign(part.style, style);
    }
  }

  #purge() {
    if (!this.#drawing) globalThis.Plotly?.purge(this.#plot);
  }
}
