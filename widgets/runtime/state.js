// Owns the link: a widget's values that differ from the default are in the query string, under the widget's prefix.
// Everything else in the address, other parameters and the hash, stays as it is. A link that leaves the page, copied or
// in a picture, also carries the version of the numbers; the address itself does not, since it says what is shown now.

export const VERSION = "v";

// Instant navigation has turned every link of the page into an absolute one, with the query of that moment, `arrival`.
// A jump within the page keeps the values that have been chosen since.
export function carryAlong(target, arrival) {
  const link = target.closest?.("a[href]");
  const inside = link?.hash && link.origin === location.origin && link.pathname === location.pathname;
  if (inside && (!link.search || link.search === arrival)) link.search = location.search;
}

const key = (prefix, name) => (prefix ? `${prefix}.${name}` : name);
const nameOf = (pair) => {
  try {
    return decodeURIComponent(pair.split("=", 1)[0].replaceAll("+", " "));
  } catch {
    return "";
  }
};

// What the address says about `controls`: {values: {name: value}, note, version}. What it doesn't name has its default.
export function readLink(controls, prefix, search = location.search) {
  const query = new URLSearchParams(search);
  const notes = [];
  const values = {};
  for (const control of controls) {
    const text = query.get(key(prefix, control.name));
    const { value, note } = text === null ? { value: control.initial, note: "" } : control.parse(text);
    values[control.name] = value;
    if (note) notes.push(note);
  }
  return { values, note: notes.join(" "), version: query.get(key(prefix, VERSION)) };
}

const pair = (name, value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
const address = (base, pairs, hash = "") => base + (pairs.length ? `?${pairs.join("&")}` : "") + hash;
const pairsOf = (controls, prefix) => controls.map(({ name, legal }) => pair(key(prefix, name), legal));
const moved = ({ initial, legal }) => legal !== initial;

// The address that says what the controls stand on. A version that it came with belongs to the values that it came with.
export function linkFor(controls, prefix) {
  const ours = new Set([VERSION, ...controls.map(({ name }) => name)].map((name) => key(prefix, name)));
  const others = location.search.slice(1).split("&").filter((each) => each && !ours.has(nameOf(each)));
  const pairs = [...others, ...pairsOf(controls.filter(moved), prefix)];
  return address(location.origin + location.pathname, pairs, location.hash);
}

// The same for somebody else: with the version, and of the other parameters only those of widgets on this page.
export function sharedLink(controls, prefix, version) {
  const known = new Set();
  for (const box of document.querySelectorAll("shard-widget [data-control]")) {
    known.add(key(box.closest("shard-widget").dataset.prefix ?? "", box.dataset.control));
  }
  const link = new URL(linkFor(controls, prefix));
  const kept = link.search.slice(1).split("&").filter((each) => known.has(nameOf(each)));
  return address(link.origin + link.pathname, [...kept, pair(key(prefix, VERSION), version)], link.hash);
}

// The address of the same values on another page of the site, where the widget has the prefix `prefix`.
export function linkOn(page, controls, prefix, version) {
  const differs = (control) => control.named || moved(control);
  return address(page, [...pairsOf(controls.filter(differs), prefix), pair(key(prefix, VERSION), version)]);
}

export function writeLink(link) {
  if (link === location.href) return;
  try {
    // The theme keeps the scroll position in the entry's state.
    history.replaceState(history.state, "", link);
  } catch {
    // A browser that finds the address changing too often refuses; the next settled change tries again.
  }
}
