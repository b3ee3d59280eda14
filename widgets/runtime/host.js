// Owns the life of the one worker: start it, hear its progress, fall back from the snapshot to the stock start, give
// up with the first cause, try again, and replace it when a computation hangs. All widgets and pages share it.

import { asFailure, diagnose, failure } from "./assets.js";
import { t } from "./messages.js";
import { files } from "./parts.js";
import { settings } from "./settings.js";
import { status } from "./status.js";

const SCRIPT = { url: new URL("./worker.js", import.meta.url).href, name: "worker.js", type: "text/javascript" };

let worker = null;
let first = null; // the first cause of trouble since the engine was last well
let watchdog = 0;
let hear = () => {};

function stop() {
  clearTimeout(watchdog);
  worker?.terminate();
  worker = null;
}

function failed(mode, error) {
  stop();
  first ??= error;
  // Only the snapshot is replaceable: without it the engine still starts, slower.
  if (mode === "snapshot" && error.asset === files.snapshot.name) return spawn("stock", false);
  status.go("failed", { error: { ...first, also: error === first ? [] : [error] } });
  first = null;
}

// `late` is the first file that isn't whole yet. While it is the worker's own script, nothing was said so far.
function watch(mode, late) {
  clearTimeout(watchdog);
  watchdog = setTimeout(() => {
    const { stage } = status.now;
    const size = late?.bytes ? { expected: String(late.bytes), got: String(Math.round(late.got)) } : {};
    const detail = String(settings.startTimeout / 1000);
    // All files are here and nothing comes of them: under a snapshot it is the snapshot that is to blame.
    const asset = late?.name ?? (mode === "snapshot" ? files.snapshot.name : "");
    failed(mode, failure(late ? "stalled" : "silent", asset, { stage, detail, ...size }));
  }, settings.startTimeout);
}

function spawn(mode, refetch) {
  stop();
  status.go("fetching", { mode });
  let mine;
  try {
    mine = new Worker(SCRIPT.url, { type: "module", name: "shardscope" });
  } catch (thrown) {
    return failed(mode, asFailure(thrown, "worker", SCRIPT.name, { stage: "starting" }));
  }
  worker = mine;
  let late = SCRIPT;
  const said = {
    progress(message) {
      late = message.late;
      status.progress(message.got, message.all);
    },
    starting: () => status.go("starting"),
    failed: (message) => failed(mode, message.error),
    ready(message) {
      first = null;
      status.go("ready", { times: message.times });
    },
  };
  mine.onmessage = ({ data }) => {
    if (mine !== worker) return;
    (said[data.type] ?? hear)(data);
    if (mine === worker && status.now.stage !== "ready") watch(mode, late);
    else if (data.type === "ready") clearTimeout(watchdog);
  };
  mine.onerror = async (event) => {
    event.preventDefault();
    if (mine !== worker) return;
    if (status.now.stage === "ready") return hear({ type: "broken", error: event.message || t("the worker stopped") });
    const error = await diagnose(SCRIPT.url, SCRIPT, event.message || t("the browser did not run it"));
    if (mine === worker) failed(mode, error.cause === "script" ? { ...error, cause: "worker" } : error);
  };
  watch(mode, late);
  mine.postMessage({ type: "start", mode, fresh: refetch });
}

export const host = {
  start() {
    if (status.now.stage === "idle") spawn(settings.start, false);
  },
  // From scratch: nothing that failed may come from the browser's cache again.
  async retry() {
    if (status.now.stage !== "failed") return;
    status.retry();
    const signal = AbortSignal.timeout(settings.startTimeout);
    await fetch(SCRIPT.url, { cache: "reload", signal }).catch(() => {}); // the start itself says what is wrong
    spawn(settings.start, true);
  },
  restart(mode = status.now.mode) {
    status.restart();
    spawn(mode, false);
  },
  send: (message) => worker?.postMessage(message),
  // What the worker says that isn't about its start goes to `listener`.
  listen(listener) {
    hear = listener;
  },
};
