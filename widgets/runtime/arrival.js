// Owns what is said on coming to another page without a reload: a browser would read the page's title, so it is read here.

const region = Object.assign(document.createElement("p"), { className: "visually-hidden sw-arrival" });
region.setAttribute("role", "status");
document.body.append(region);

let said = document.title;
new MutationObserver(() => {
  if (!document.title || document.title === said) return;
  said = document.title;
  region.textContent = said;
}).observe(document.head, { childList: true, subtree: true, characterData: true });
