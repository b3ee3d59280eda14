"""Where things stand: what reaches out of the window, and what is cut off by the box that it is in."""

# Everything that reaches beyond the window, unless it lies in something that scrolls or is put out of sight on purpose.
OUTSIDE = """() => {
  const width = document.documentElement.clientWidth;
  const scrolls = (element) => /auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX);
  const inScroller = (element) => {
    for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) if (scrolls(at)) return true;
    return false;
  };
  return [...document.body.querySelectorAll("*")]
    .filter((element) => element.checkVisibility() && !element.closest("svg *, #js-plotly-tester, .md-search, .md-overlay"))
    .filter((element) => !element.matches(".visually-hidden, .md-skip"))
    .map((element) => [element, element.getBoundingClientRect()])
    .filter(([element, { left, right }]) => (right > width + 1 || left < -1) && !inScroller(element))
    .map(([{ tagName, className }, { left, right }]) => `${tagName} ${className} ${left}..${right}`);
}"""
# Words that their own box cuts off: it hides what is too much, and there is too much.
CUT = """() => [...document.body.querySelectorAll("*")]
  .filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
  .filter((element) => !element.closest("svg, .js-plotly-plot, .md-search, .visually-hidden") && element.clientWidth > 2)
  .filter((element) => /hidden|clip/.test(getComputedStyle(element).overflow))
  .filter((element) => element.scrollHeight > element.clientHeight + 2 || element.scrollWidth > element.clientWidth + 2)
  .map(({ tagName, className }) => `${tagName} ${className}`)"""


def outside(page) -> list[str]:
    """What reaches out of the window at its sides."""
    return page.evaluate(OUTSIDE)


def cut(page) -> list[str]:
    """What is cut off."""
    return page.evaluate(CUT)
