// Answer calls with Pyodide under Node, from the files that the site ships.
//
//   node render.mjs PYODIDE_FOLDER WHEEL [SNAPSHOT] < cases.json > answers.json
//
// A case is [name, text, locale]; an answer is what `answer` of answer.py returned, untouched. With SNAPSHOT Python comes
// from the memory that was saved, without it from the stock files and the wheel.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

import { onFreshMemory } from "../../scripts/fresh_memory.mjs";
import { complete } from "../../widgets/runtime/memory.js";

const [folder, wheel, snapshot] = process.argv.slice(2).map((path) => resolve(path));
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);

// Python's own output must not mix with the answers.
const quiet = { stdout: console.error, stderr: console.error };
const saved = snapshot && new Uint8Array(gunzipSync(await readFile(snapshot)));
if (saved) onFreshMemory((memory) => complete(saved, memory));
const pyodide = await loadPyodide({ indexURL: folder, _loadSnapshot: saved, ...quiet });
if (!saved) pyodide.unpackArchive(new Uint8Array(await readFile(wheel)), "wheel");
const names = pyodide.toPy({ __name__: "answer" });
pyodide.runPython(await readFile(new URL("answer.py", import.meta.url), "utf8"), { globals: names });
const answer = names.get("answer");

let given = "";
for await (const part of process.stdin) given += part;
const answers = JSON.parse(given).map(([name, params, locale]) => answer(name, params, locale));

// The browser reads an answer with JSON.parse: it must come through whole.
for (const text of answers) JSON.parse(text);
process.stdout.write(JSON.stringify({ python: pyodide.runPython("import sys; sys.version"), answers }));
