// Runs in the page before anything else: notes when the page is complete, when the reader first turns to a widget, when
// answers are drawn, and every long task. Every time is the browser's own, in milliseconds since the page began.

{
  const settings = { prefetch: false };
  const told = { complete: null, intent: null, live: null, draws: [], tasks: [], frames: [] };
  globalThis.shardscopeSettings = settings;
  globalThis.bench = told;

  const said = (element) => element.querySelector(".sw-readouts").textContent + element.querySelector("table").textContent;

  // What the runtime takes for intent; the earliest counts.
  for (const name of ["pointerover", "pointerdown", "touchstart", "focusin"]) {
    addEventListener(name, (event) => {
      if (told.intent === null && event.target.closest?.("shard-widget")) told.intent = event.timeStamp;
    }, { capture: true, passive: true });
  }

  // Changes come one at a time, so the next drawing belongs to the last change.
  let changed = null;
  addEventListener("keydown", (event) => {
    if (event.target.closest?.("shard-widget")) changed = event.timeStamp;
  }, { capture: true });

  // A task that the browser counts as long, 50 ms and more; and the frames, which say whose scripts ran.
  const hear = (type, act) => new PerformanceObserver((list) => list.getEntries().forEach(act)).observe({ type, buffered: true });
  hear("longtask", ({ startTime, duration }) => told.tasks.push({ at: startTime, ms: duration }));
  hear("long-animation-frame", ({ startTime, duration, scripts }) => {
    const ran = scripts.map(({ sourceURL, duration: ms }) => ({ file: sourceURL.split("/").at(-1).split("?")[0], ms }));
    told.frames.push({ at: startTime, ms: duration, scripts: ran });
  });

  addEventListener("DOMContentLoaded", () => {
    const element = document.querySelector("shard-widget");
    if (!element) return;
    const seed = said(element);
    new MutationObserver(() => {
      if (told.complete === null && element.dataset.drawn) told.complete = performance.now();
    }).observe(element, { attributes: true, attributeFilter: ["data-drawn"] });
    new MutationObserver(() => {
      const ready = element.dataset.stage === "ready" && Number(element.dataset.revision) > 0;
      if (ready && told.live === null && said(element) !== seed) told.live = performance.now();
      const from = changed;
      changed = null;
      if (from !== null) requestAnimationFrame(() => told.draws.push(performance.now() - from));
    }).observe(element, { attributes: true, attributeFilter: ["data-revision"] });
  });
}
