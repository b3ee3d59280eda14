// Owns what a figure's texts may be: words with line breaks and bold type. The library reads more markup than that, links
// among it, and no view has a use for it; whatever else looks like a tag is shown as it is written.

const TAG = /<(?!br>|\/?b>)/g;

// A figure's part with every text made plain, in place.
export function plain(part) {
  for (const [key, value] of Object.entries(part ?? {})) {
    if (typeof value === "string") part[key] = value.replace(TAG, "&lt;");
    else if (typeof value === "object") plain(value);
  }
  return part;
}
