// Owns <shard-shortcuts>: the theme's letter keys can be turned off, for who speaks to the computer or hits keys by
// accident (WCAG 2.2, 2.1.4). The choice is kept on this device.

import { isLetter } from "./keys.js";

const KEY = "shardscope.letters";
const OFF = "off";

let off = false;
try {
  off = localStorage.getItem(KEY) === OFF;
} catch {
  // storage is refused: the choice lasts until the page is left
}

addEventListener("keydown", (event) => off && isLetter(event) && event.stopPropagation(), { capture: true });

function choose(wanted) {
  off = !wanted;
  try {
    if (off) localStorage.setItem(KEY, OFF);
    else localStorage.removeItem(KEY);
  } catch {
    // as above
  }
}

export class ShardShortcuts extends HTMLElement {
  connectedCallback() {
    const box = this.querySelector("input");
    box.checked = !off;
    box.addEventListener("change", () => choose(box.checked));
  }
}
