// The figures of speed.py under Pyodide in Node, whose engine is Chromium's: node speed.mjs PYODIDE_FOLDER REPOSITORY

import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [engine, root] = process.argv.slice(2).map((path) => resolve(path));
const { loadPyodide } = await import(pathToFileURL(`${engine}/pyodide.mjs`).href);
const pyodide = await loadPyodide({ indexURL: engine, stdout: console.error, stderr: console.error });
for (const name of await readdir(join(root, "model"))) {
  if (!name.endsWith(".py")) continue;
  pyodide.FS.mkdirTree("/code/model");
  pyodide.FS.writeFile(`/code/model/${name}`, await readFile(join(root, "model", name)));
}
pyodide.FS.writeFile("/code/speed.py", await readFile(join(root, "scripts", "bench", "speed.py")));
// Under wasm Python's own clock of processor time is the wall's, which counts what else the machine does.
globalThis.processorSeconds = () => Object.values(process.cpuUsage()).reduce((sum, part) => sum + part) / 1e6;
pyodide.runPython("import sys, time; sys.path.insert(0, '/code')");
pyodide.runPython("from js import processorSeconds; time.process_time = processorSeconds");
console.log(pyodide.runPython("import json, speed; json.dumps(speed.measured())"));
