// Owns the calls: one at a time in the worker, at most one waiting for each widget, and the latest wins. Answers come
// in the order of the calls, so that the chart follows a reader who drags; an error that a newer call of the same
// widget has overtaken is dropped.
//
//   asked → waiting (in place of an older one) → running → answered | raised | hung | cancelled | dropped
//                                    ^              │
//                                    └── gives way ─┘ to what was asked later, once it lasts
//
// After half a second a computation counts as long: its reader is told how far it is and may cancel it. One that tells
// its steps then keeps nobody waiting: what was asked later goes first, and what the reader has overtaken or left is
// stopped at the next step. One that tells nothing can only be stopped together with its worker, and the engine comes
// back and goes on with what waits: when the reader cancels it, or when it gives no sign of life for `callTimeout`, but
// not for a later question, since on a slow machine the new start would take longer than the answer.
//
// Who asks has the methods answered(view), raised(message, memory), working(share), hung() and cancelled().

import { host } from "./host.js";
import { settings } from "./settings.js";
import { status } from "./status.js";

const waiting = new Map(); // who → {id, name, params, locale}
const probes = [];
let running = null; // {who, call, long, share: of a call that tells its steps, stopping}
let serial = 0;
let patience = 0;
let lasting = 0;

function next() {
  if (running || status.now.stage !== "ready" || !waiting.size) return;
  const [who, call] = waiting.entries().next().value;
  waiting.delete(who);
  running = { who, call, long: false, share: undefined, stopping: false };
  host.send({ type: "call", ...call });
  lasting = setTimeout(() => {
    running.long = true;
    giveWay();
    show();
  }, settings.long);
  watch(settings.callTimeout);
}

const show = () => running?.long && running.who?.working(running.share ?? null);

function watch(limit) {
  clearTimeout(patience);
  patience = setTimeout(() => {
    const { who } = running;
    replace();
    if (!waiting.has(who)) who?.hung(); // else its reader has asked something else since, and is told of that
  }, limit);
}

function end() {
  clearTimeout(patience);
  clearTimeout(lasting);
  running = null;
}

function replace(mode) {
  end();
  host.restart(mode);
}

function giveWay() {
  if (!running?.long || running.share === undefined || running.stopping) return;
  const { who, call } = running;
  if (who && ![...waiting.values()].some(({ id }) => id > call.id)) return;
  if (who && !waiting.has(who)) waiting.set(who, call); // it's still wanted, after what is wanted now
  stop();
}

function stop() {
  running.who = null;
  if (running.share === undefined) return replace();
  running.stopping = true;
  host.send({ type: "stop", id: running.call.id });
  watch(settings.grace);
}

function settle({ who, call, overtaken }, message) {
  if (message.missing && status.now.mode === "snapshot") {
    // The snapshot lacks a module: the stock start has them all.
    if (who && !overtaken) waiting.set(who, call);
    return host.restart("stock");
  }
  if (message.fatal) host.restart();
  if (!who) return;
  const view = message.type === "answer" ? JSON.parse(message.view) : { error: { message: message.error } };
  if (view.error && overtaken) return;
  if (message.type === "answer") who.answered(view);
  else who.raised(message.error, message.memory);
}

function go(share) {
  running.share = share;
  if (running.stopping) return;
  watch(settings.callTimeout);
  giveWay();
  show();
}

host.listen((message) => {
  if (message.type === "memory") return probes.shift()?.(message.bytes);
  if (message.type === "broken") Object.assign(message, { type: "raised", id: running?.call.id, fatal: true });
  if (message.id !== running?.call.id) return;
  if (message.type === "working") return go(message.share);
  const done = { ...running, overtaken: waiting.has(running.who) };
  end();
  if (!message.fatal) next(); // Python goes on while the page draws
  if (message.type !== "stopped") settle(done, message);
});
status.listen(next);

export const client = {
  // Ask for a view. Starts the engine if need be; a call that still waits is replaced by this one.
  ask(who, call) {
    waiting.delete(who);
    waiting.set(who, { ...call, id: ++serial });
    host.start();
    giveWay();
    next();
  },
  // The reader doesn't want to wait any longer.
  cancel(who) {
    waiting.delete(who);
    if (running?.who === who) stop();
    who.cancelled();
  },
  // Forget someone who left the page.
  drop(who) {
    waiting.delete(who);
    if (running?.who === who) running.who = null;
    giveWay();
  },
  waits: (who) => waiting.has(who) || running?.who === who,
  // Bytes of memory that Python holds.
  memory: () => new Promise((resolve) => (probes.push(resolve), host.send({ type: "memory" }))),
};
