// Start Pyodide under Node, import what the widgets need, and save the memory: the browser starts from there.
//
//   node scripts/snapshot.mjs ENGINE_FOLDER PACKAGES SNAPSHOT MODEL
//
// MODEL is the packages' version: the browser asks the snapshot for it. Prints one line of JSON about what was saved.

import crypto from "node:crypto";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

import { complete } from "../widgets/runtime/memory.js";
import { onFreshMemory } from "./fresh_memory.mjs";

// The same sources must give the same snapshot, so time stands still here and chance is always the same.
function freeze() {
  const now = Date.UTC(2020, 1, 2);
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...given) {
      super(...(given.length ? given : [now]));
    }
    static now() {
      return now;
    }
  };
  performance.now = () => 0;
  crypto.randomFillSync = (bytes) => bytes.fill(7);
}

// Copy a folder into Python's file system. (`unpackArchive` would load modules that no widget needs.)
async function copy(FS, from, to) {
  for (const name of (await readdir(from, { recursive: true })).sort()) {
    if ((await stat(join(from, name))).isDirectory()) FS.mkdirTree(`${to}/${name}`);
    else FS.writeFile(`${to}/${name}`, await readFile(join(from, name)));
  }
}

async function main(engine, packages, target, model) {
  freeze();
  let fresh;
  onFreshMemory((memory) => (fresh = new Uint8Array(memory.buffer.slice(0))));
  const { loadPyodide } = await import(pathToFileURL(`${engine}/pyodide.mjs`).href);
  const pyodide = await loadPyodide({
    indexURL: engine,
    // A random hash seed would make every snapshot different; a reader's own page has nothing to defend with it.
    env: { PYTHONHASHSEED: "0" },
    fsInit: (FS, { sitePackages }) => copy(FS, packages, sitePackages),
    _makeSnapshot: true,
  });
  pyodide.globals.set("MODEL", model);
  pyodide.runPython(await readFile(new URL("snapshot.py", import.meta.url), "utf8"));

  const memory = pyodide.makeMemorySnapshot();
  // What the browser gets with the module anyway is left out: only the difference travels.
  new Uint32Array(memory.buffer, 0, 4)[3] = Math.ceil((fresh.findLastIndex((byte) => byte) + 1) / 4) * 4;
  complete(memory, fresh);
  const packed = gzipSync(memory, { level: 9 });
  await writeFile(target, packed);
  console.log(JSON.stringify({ version: pyodide.version, bytes: packed.length, raw_bytes: memory.length }));
}

// Node would print the failing line of the engine, a megabyte long; the message says what is wrong.
const [engine, packages, target, model] = process.argv.slice(2);
main(resolve(engine), resolve(packages), resolve(target), model).catch((error) => {
  console.error(`snapshot: ${error.message}`);
  process.exit(1);
});
