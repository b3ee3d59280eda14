// Print the golden table as Pyodide makes it, under Node, from the files that the site ships.
//
//   node golden.mjs PYODIDE_FOLDER WHEEL < {path: text of tests/model/golden}

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, wheel] = process.argv.slice(2).map((path) => resolve(path));
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
const pyodide = await loadPyodide({ indexURL: folder, stdout: console.error, stderr: console.error });
pyodide.unpackArchive(new Uint8Array(await readFile(wheel)), "wheel");

let given = "";
for await (const part of process.stdin) given += part;
for (const [path, text] of Object.entries(JSON.parse(given))) {
  pyodide.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
  pyodide.FS.writeFile(path, text);
}
process.stdout.write(pyodide.runPython("from tests.model.golden.table import text; text()"));
