// Owns the bar's search button: the theme opens its search by a box that is checked or a field that has the focus.

document.addEventListener("click", ({ target }) => {
  if (!target.closest(".bar-search")) return;
  document.getElementById("__search").click(); // not .checked: the theme hears of a change alone
  document.querySelector(".md-search__input").focus();
});
