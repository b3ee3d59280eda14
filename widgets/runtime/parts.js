// Owns which of the engine's files each way to start needs, and where they are.

import manifest from "./manifest.js";

const NEEDS = {
  snapshot: ["loader", "core", "wasm", "snapshot"],
  stock: ["loader", "core", "wasm", "stdlib", "wheel"],
};

export const base = new URL(manifest.engine.base, import.meta.url).href;
export const files = manifest.engine.files;
export const versions = manifest.versions;
export const address = (file) => base + file.name;
export const parts = (mode) => NEEDS[mode];
