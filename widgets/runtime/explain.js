// Owns "Explain it back": the reader's answer and ticks are kept on this device, and nowhere else.

import { keepLetters } from "./keys.js";
import { learn, t } from "./messages.js";

const PREFIX = "shardscope.explain.";

// A browser may refuse storage; the box then works until the page is left.
function recall(key) {
  let kept;
  try {
    kept = JSON.parse(localStorage.getItem(PREFIX + key));
  } catch {
    kept = null; // refused, or not ours
  }
  return {
    answer: typeof kept?.answer === "string" ? kept.answer : "",
    ticks: Array.isArray(kept?.ticks) ? kept.ticks : [],
  };
}

function keep(key, state) {
  try {
    if (state) localStorage.setItem(PREFIX + key, JSON.stringify(state));
    else localStorage.removeItem(PREFIX + key);
  } catch {
    return false;
  }
  return true;
}

// Each point of the list gets a box to tick; the whole line is its label.
function tickBoxes(list) {
  return [...list.querySelectorAll("li")].map((item) => {
    const found = item.querySelector("input");
    if (found) return found;
    const label = document.createElement("label");
    const words = document.createElement("span");
    const box = Object.assign(document.createElement("input"), { type: "checkbox" });
    words.append(...item.childNodes);
    label.append(box, words);
    item.append(label);
    return box;
  });
}

export class ShardExplain extends HTMLElement {
  #leave;

  connectedCallback() {
    this.#leave?.abort();
    this.#leave = new AbortController();
    const { signal } = this.#leave;
    learn(this.querySelector(".se-strings"));
    const key = this.getAttribute("key") ?? "";
    const answer = this.querySelector(".se-answer");
    const boxes = tickBoxes(this.querySelector(".se-points"));
    const local = this.querySelector(".se-local");

    const fill = (state) => {
      answer.value = state.answer;
      boxes.forEach((box, place) => (box.checked = Boolean(state.ticks[place])));
    };
    // Only what changed here: another tab may have changed the rest meanwhile.
    const save = (changed) => {
      if (keep(key, { ...recall(key), ...changed })) return;
      local.textContent = t("This browser does not keep the answer: it is gone when the page is left.");
    };
    fill(recall(key));
    answer.addEventListener("input", () => save({ answer: answer.value }), { signal });
    const tick = () => save({ ticks: boxes.map((box) => box.checked) });
    for (const box of boxes) box.addEventListener("change", tick, { signal });
    // A tab in the background follows the one that is written in.
    addEventListener("storage", (event) => event.key === PREFIX + key && fill(recall(key)), { signal });
    this.querySelector("[data-action=clear]").addEventListener("click", () => {
      fill({ answer: "", ticks: [] });
      keep(key, null);
      answer.focus();
    }, { signal });
    keepLetters(this, signal);
  }

  disconnectedCallback() {
    this.#leave?.abort();
  }
}
