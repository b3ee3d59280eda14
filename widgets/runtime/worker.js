// Owns Python. The only file that knows Pyodide: it starts the engine, from a memory snapshot or from the stock
// files, and answers calls. Strings and plain objects cross the border, never a proxy of a Python object.
//
//   in:  {type: "start", mode, fresh}   {type: "call", id, name, params, locale}   {type: "stop", id}   {type: "memory", id}
//   out: {type: "progress", got, all, late}: bytes, and the first file that isn't whole yet as {name, bytes, got}
//        {type: "starting"}   {type: "ready", mode, times}   {type: "failed", error}
//        {type: "working", id, share}   {type: "answer", id, view}   {type: "raised", id, error, fatal, missing, memory}
//        {type: "stopped", id}   {type: "memory", id, bytes}

import { asFailure, diagnose, failure, open, read } from "./assets.js";
import { stop, take } from "./computation.js";
import { complete } from "./memory.js";
import { address, base, files, parts, versions } from "./parts.js";

// How a snapshot begins where a server has unpacked it on the way.
const SNAPSHOT_MAGIC = [0x00, 0x73, 0x6e, 0x70];
// Nothing is installed through Pyodide's lock file, so an empty one saves a request. Its make must be this Pyodide's.
const LOCK = { info: { abi_version: versions.abi }, packages: {} };
// The snapshot holds every module the widgets import; the archive they came from may be empty: an end record alone.
const EMPTY_ZIP = Uint8Array.of(0x50, 0x4b, 5, 6, ...new Array(18).fill(0));

let pyodide, rendering;
const post = (message) => self.postMessage(message);

const arrived = new Map(); // file → bytes of it
let told = 0;
let due = 0; // a timer: what has come since is told then, should nothing more come
function count(file, share) {
  arrived.set(file, share * file.bytes);
  if (share === 1 || performance.now() - told >= 40) tell();
  else due ||= setTimeout(tell, 40);
}
function tell() {
  clearTimeout(due);
  due = 0;
  told = performance.now();
  const sizes = [...arrived].map(([{ name, bytes }, got]) => ({ name, bytes, got }));
  const sum = (key) => sizes.reduce((total, size) => total + size[key], 0);
  const late = sizes.find(({ bytes, got }) => got < bytes) ?? null;
  post({ type: "progress", got: sum("got"), all: sum("bytes"), late });
}

// Ask for one part at once; resolves to what the start needs of it.
async function get(part, fresh) {
  const file = files[part];
  const url = address(file);
  const options = { cache: fresh ? "reload" : "default", count: (share) => count(file, share) };
  if (part === "snapshot") return read(url, { ...file, raw_magic: SNAPSHOT_MAGIC }, options);
  if (part === "stdlib" || part === "wheel") return read(url, file, options);
  if (part === "wasm") return compile(file, open(url, file, options));
  try {
    if (fresh) await fetch(url, { cache: "reload" }).then((response) => response.blob());
    const script = await import(url);
    count(file, 1);
    return script;
  } catch (thrown) {
    throw await diagnose(url, file, thrown);
  }
}

// Compile while the bytes arrive. The compiler's complaint about a broken stream is vague, so the stream's own wins.
async function compile(file, opening) {
  const opened = await opening;
  try {
    const headers = { "content-type": "application/wasm" };
    return await WebAssembly.compileStreaming(new Response(opened.body, { headers }));
  } catch (thrown) {
    throw opened.broken ?? asFailure(thrown, "compile", file.name, { stage: "starting" });
  }
}

// The stock start imports for seconds without a pause; each file that Python opens is a sign of life.
let unwatch = () => {};
function watchFiles(FS) {
  const { open: openFile } = FS;
  unwatch = () => (FS.open = openFile);
  FS.open = (...rest) => {
    if (performance.now() - told > 500) tell();
    return openFile(...rest);
  };
}

// Let `loadPyodide` take the parts that are here already. On a file that is missing it would wait for ever without a
// word, so it never gets to ask: each request it makes is answered from `parts`.
async function load({ loader, wasm, snapshot, stdlib }) {
  const { fetch: ask } = self;
  const stream = WebAssembly.instantiateStreaming;
  self.fetch = async (url, ...rest) => {
    if (String(url) === address(files.stdlib)) return new Response(stdlib ?? EMPTY_ZIP);
    return String(url) === address(files.wasm) ? new Response() : ask(url, ...rest);
  };
  let refuse;
  const refused = new Promise((_, reject) => (refuse = reject));
  WebAssembly.instantiateStreaming = (_, imports) => {
    const made = WebAssembly.instantiate(wasm, imports).then((instance) => {
      if (snapshot) complete(snapshot, imports.env.memory);
      return { instance, module: wasm };
    });
    made.catch(refuse);
    return made;
  };
  try {
    const quiet = { stdout() {}, stderr() {} };
    const options = { indexURL: base, lockFileContents: LOCK, _loadSnapshot: snapshot, fsInit: watchFiles, ...quiet };
    return await Promise.race([loader.loadPyodide(options), refused]);
  } finally {
    self.fetch = ask;
    WebAssembly.instantiateStreaming = stream;
  }
}

// The snapshot that lies at its address may be of another model than the page.
function checkModel(mode) {
  const [expected, got] = [versions.model, pyodide.globals.get("MODEL")];
  if (mode === "snapshot" && got !== expected) throw failure("version", files.snapshot.name, { expected, got: got ?? "–" });
}

function unpack(wheel) {
  try {
    pyodide.unpackArchive(wheel, "wheel");
  } catch (thrown) {
    throw asFailure(thrown, "packing", files.wheel.name, { stage: "starting" });
  }
}

// The engine, the browser and Python each say it in their own way.
const isMemory = (thrown) =>
  thrown instanceof RangeError || thrown?.type === "MemoryError" || /out of memory|\bOOM\b/i.test(thrown?.message);

async function start({ mode, fresh }) {
  const times = { origin: performance.timeOrigin, asked: performance.now() };
  const names = parts(mode);
  for (const name of names) arrived.set(files[name], 0);
  try {
    const asked = names.map((name) => get(name, fresh));
    tell();
    const got = Object.fromEntries((await Promise.all(asked)).map((part, place) => [names[place], part]));
    times.fetched = performance.now();
    post({ type: "starting" });
    const [expected, found] = [versions.pyodide, got.loader.version];
    if (found !== expected) throw failure("version", files.loader.name, { expected, got: found });
    pyodide = await load(got);
    times.loaded = performance.now();
    checkModel(mode);
    if (got.wheel) unpack(got.wheel);
    const api = pyodide.pyimport("widgets.api");
    rendering = api.rendering.copy();
    api.destroy();
    unwatch();
    times.ready = performance.now();
    post({ type: "ready", mode, times });
  } catch (thrown) {
    const cause = isMemory(thrown) ? "memory" : mode === "snapshot" ? "snapshot" : "start";
    const asset = cause === "snapshot" ? files.snapshot.name : "";
    post({ type: "failed", error: asFailure(thrown, cause, asset, { stage: "starting" }) });
  }
}

async function call({ id, name, params, locale }) {
  let steps;
  try {
    steps = rendering(name, params, locale);
    const view = await take(steps, id, (share) => post({ type: "working", id, share }));
    post(view === undefined ? { type: "stopped", id } : { type: "answer", id, view });
  } catch (thrown) {
    // An error of Python's is a bug in a view; any other means that the engine itself is broken, and a module that
    // isn't there means that the snapshot was taken without it. Memory never gets smaller, so a full one is replaced.
    const missing = thrown?.type === "ModuleNotFoundError";
    const memory = isMemory(thrown);
    const fatal = missing || memory || thrown?.name !== "PythonError";
    post({ type: "raised", id, error: String(thrown?.message || thrown), fatal, missing, memory });
  } finally {
    steps?.destroy();
  }
}

const memory = ({ id }) => post({ type: "memory", id, bytes: pyodide?._module.HEAPU8.length ?? 0 });

const handlers = { start, call, stop, memory };
self.addEventListener("message", ({ data }) => handlers[data.type]?.(data));
