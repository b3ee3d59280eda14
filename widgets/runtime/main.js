// Entry of the browser's half: registers the elements, once, however often a page asks.

import "./arrival.js";
import "./bar.js";
import { client } from "./client.js";
import { ShardWidget } from "./element.js";
import { ShardExplain } from "./explain.js";
import { versions } from "./parts.js";
import { ShardShortcuts } from "./shortcuts.js";
import { status } from "./status.js";

const elements = { "shard-widget": ShardWidget, "shard-explain": ShardExplain, "shard-shortcuts": ShardShortcuts };

for (const [name, element] of Object.entries(elements)) {
  if (!customElements.get(name)) customElements.define(name, element);
}

// For tests, benches and reports of errors: what runs here, and how it is.
globalThis.shardscope ??= { versions, status: () => status.now, memory: () => client.memory() };
