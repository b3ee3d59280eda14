// Owns the limits a page runs under. A page, or a test, changes them before the module runs:
//   globalThis.shardscopeSettings = {startTimeout: 500};

const defaults = {
  startTimeout: 20_000, // ms a start may pass without any progress
  callTimeout: 5_000, // ms a computation may pass without any progress
  long: 500, // ms after which a computation shows how far it is, can be cancelled, and keeps nobody waiting
  grace: 500, // ms that a computation has to stop when told to, before its worker is replaced
  settle: 300, // ms without a change until the state counts as settled
  announceEvery: 1_000, // ms between two spoken messages
  prefetch: true, // fetch the engine's files ahead, at the lowest priority, when the page is idle
  start: "snapshot", // "stock" starts without the memory snapshot
};

export const settings = { ...defaults, ...globalThis.shardscopeSettings };
