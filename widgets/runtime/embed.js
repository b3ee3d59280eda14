// Owns what a widget does inside another page: it says how high it is, {shardscope: {height}}, so that the frame can
// follow, and its line about where it comes from leads to the lesson with the values that are set here.

const page = document.querySelector(".embed");
const home = page.querySelector(".embed-home");
const widget = page.querySelector("shard-widget");

// The page that holds the frame may be anybody's; a height is no secret.
const tell = () => parent.postMessage({ shardscope: { height: Math.ceil(page.getBoundingClientRect().bottom + scrollY) } }, "*");
new ResizeObserver(tell).observe(page);

const lead = () => widget.visit && (home.href = widget.visit.shared());
for (const name of ["pointerdown", "focus", "click"]) home.addEventListener(name, lead);
