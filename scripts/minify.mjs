// Write the modules of a folder as a browser needs them: no comments, short names inside, one line each.
//
//   node scripts/minify.mjs FOLDER

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { minify } from "terser";

const [folder] = process.argv.slice(2);
for (const name of await readdir(folder, { recursive: true })) {
  if (!name.endsWith(".js")) continue;
  const path = join(folder, name);
  const { code } = await minify(await readFile(path, "utf8"), { module: true, ecma: 2022 });
  await writeFile(path, `${code}\n`);
}
