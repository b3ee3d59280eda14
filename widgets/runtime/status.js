// Owns what the page knows about the engine: one small store that every widget listens to.
//
//           ┌───────────── retry ─────────────┐
//           v                                 │
//   idle → fetching → starting → ready        │
//           ^  ^ │     │   │       │          │
//           │  └─┼─────┘   │       │          │
//           │    │ without the snapshot       │
//           └────┼─────────┼───────┘ restart after a computation that hung
//                └─────────┴──────────────→ failed
//
// `failed` ends a start: nothing that comes later changes it or its first cause; only retry leaves it.

const NEXT = {
  idle: ["fetching"],
  fetching: ["fetching", "starting", "failed"],
  starting: ["fetching", "ready", "failed"],
  ready: [],
  failed: [],
};

const fresh = { stage: "idle", percent: 0, error: null, mode: "", times: null };
let now = fresh;
const listeners = new Set();

function set(next) {
  now = next;
  for (const listener of [...listeners]) listener(now);
}

export const status = {
  get now() {
    return now;
  },
  // Tell `listener` now and at every change, until `signal` is aborted.
  listen(listener, signal) {
    listeners.add(listener);
    signal?.addEventListener("abort", () => listeners.delete(listener));
    listener(now);
  },
  go(stage, more = {}) {
    if (NEXT[now.stage].includes(stage)) set({ ...now, ...more, stage });
  },
  // `got` of `all` bytes have arrived. What is shown never goes back and never passes 100.
  progress(got, all) {
    const percent = Math.min(100, Math.max(now.percent, Math.floor((100 * got) / all)));
    if (now.stage === "fetching" && percent > now.percent) set({ ...now, percent });
  },
  retry() {
    if (now.stage === "failed") set({ ...fresh, stage: "fetching" });
  },
  restart() {
    if (now.stage === "ready") set({ ...fresh, stage: "fetching" });
  },
};
