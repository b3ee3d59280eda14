// Owns <shard-widget> as the browser sees it: an element that enters pages and leaves them. Each stay is a Visit; one
// that ends, even before the engine has started, takes its listeners, its chart and its calls along.

import { Visit } from "./visit.js";

export class ShardWidget extends HTMLElement {
  #leave;

  connectedCallback() {
    this.#leave?.abort();
    this.#leave = new AbortController();
    if (this.querySelector(".sw-seed")) this.visit = new Visit(this, this.#leave.signal);
  }

  disconnectedCallback() {
    this.#leave?.abort();
  }
}
