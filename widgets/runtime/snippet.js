// Owns the code that a teacher pastes into a page of theirs: a frame that shows this widget with these values, and a
// script that lets the frame be as high as the widget. Without the script the frame scrolls.

import { embedPages } from "./places.js";
import { linkOn } from "./state.js";

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

// Only a frame of this site is ever resized, and only by the page that is in it.
const FOLLOW = `addEventListener("message", ({ source, data }) => {
  const height = Number(data?.shardscope?.height);
  for (const frame of document.querySelectorAll('iframe[src^="EMBEDS"]')) {
    if (frame.contentWindow === source && height > 0) frame.style.height = Math.min(height, 4000) + "px";
  }
});`;
const FROM = 48; // px: the line below the widget

export function snippet({ element, controls, version }) {
  const address = linkOn(`${embedPages}${element.getAttribute("name")}/`, controls, "", version);
  const title = element.querySelector(".sw-title").textContent;
  const height = element.offsetHeight - element.querySelector(".sw-more").offsetHeight + FROM;
  return `<iframe src="${escape(address)}" title="${escape(title)}" loading="lazy" width="100%" height="${height}"`
    + ` style="border: 0" allow="clipboard-write"></iframe>\n<script>\n${FOLLOW.replace("EMBEDS", embedPages)}\n</script>\n`;
}
