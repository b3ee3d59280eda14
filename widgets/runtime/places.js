// Owns the addresses of the site's other pages, seen from where the runtime itself lies.

const root = new URL("../../../", import.meta.url);

// Whole also inside single quotes, which an address may hold.
export const sitePage = (path) => new URL(path, root).href.replaceAll("'", "%27");
export const embedPages = sitePage("embed/");
export const changelog = sitePage("changelog/");
