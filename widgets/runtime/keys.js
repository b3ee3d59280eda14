// Owns the keyboard contract of a widget.
//   arrows        one stop              Page Up, Page Down   the next power of two, or ten further
//   Home, End     the ends              Escape               an illegal number gives way to the last legal one
//   letters       stay in the widget: elsewhere on the page n, p, s, f, "," "." and "/" turn pages or open the search

const isPower = (value) => value > 0 && Number.isInteger(Math.log2(value));
const above = (list, value) => list.find((each) => each > value) ?? list.at(-1);
const below = (list, value) => list.findLast((each) => each < value) ?? list[0];

// Where a big step leads: among the powers of two where the range ends on one, else by ten.
function page(value, stops, up) {
  const [least, most] = [stops[0], stops.at(-1)];
  if (isPower(most)) return (up ? above : below)([...new Set([least, ...stops.filter(isPower)])], value);
  return Math.min(most, Math.max(least, value + (up ? 10 : -10)));
}

// The value that `key` leads to on a slider, or undefined where the key is none of ours.
export function sliderKey(key, value, stops, rightToLeft) {
  const more = rightToLeft ? "ArrowLeft" : "ArrowRight";
  const less = rightToLeft ? "ArrowRight" : "ArrowLeft";
  if (key === more || key === "ArrowUp") return above(stops, value);
  if (key === less || key === "ArrowDown") return below(stops, value);
  if (key === "Home") return stops[0];
  if (key === "End") return stops.at(-1);
  return pageKey(key, value, stops);
}

export function pageKey(key, value, stops) {
  if (key === "PageUp") return page(value, stops, true);
  if (key === "PageDown") return page(value, stops, false);
  return undefined;
}

export const isLetter = ({ key, ctrlKey, metaKey, altKey }) => key.length === 1 && !ctrlKey && !metaKey && !altKey;

export function keepLetters(widget, signal) {
  const keep = (event) => isLetter(event) && event.stopPropagation();
  widget.addEventListener("keydown", keep, { signal });
}
