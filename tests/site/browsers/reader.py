"""A reader of the site in any browser: looks, waits, presses keys and clicks, as the browser's own events."""

from tests.site.harness.instrument import READ, answer, facets, keys_of
from tests.site.harness.lab import ARRIVED, FOLLOW
from widgets.registry import BY_NAME
from widgets.spec import Choice

from .drivers.driver import PATIENCE_S

# Ask again and again until the answer is yes; in the end, the last answer. A timer runs in hidden windows too.
UNTIL = f"""async (...given) => {{
  const end = performance.now() + {PATIENCE_S * 500};
  let answer;
  while (!(answer = (%s)(...given)) && performance.now() < end) await new Promise((next) => setTimeout(next, 20));
  return answer;
}}"""
# Our elements live, and the theme knows which links are the site's own: only then does it follow them in place.
LOADED = """() => customElements.get("shard-widget") && document.readyState === "complete"
  && performance.getEntriesByType("resource").some(({ name }) => name.endsWith("/sitemap.xml"))"""
TEXT = """(selector) => document.querySelector(selector)?.textContent ?? null"""
SHOWN = """(selector) => document.querySelector(selector).checkVisibility({ visibilityProperty: true })"""
FOCUS = """(selector) => {
  const element = document.querySelector(selector);
  element.focus();
  if (element.type === "number") element.select();
  return document.activeElement === element;
}"""
MIDDLE = """async (selector) => {
  const element = document.querySelector(selector);
  element.scrollIntoView({ block: "center", behavior: "instant" });
  await new Promise((next) => setTimeout(next));
  const { x, y, width, height } = element.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
}"""
LOOK = """(selector) => document.querySelector(selector).scrollIntoView({ block: "center", behavior: "instant" })"""
SEEN = f"(selector, keys) => ({READ})(document.querySelector(selector), keys)"
SAME = f"(selector, keys, wanted) => JSON.stringify(({SEEN})(selector, keys)) === JSON.stringify(wanted)"


class Reader:
    """One window, and the record of what its pages say."""

    def __init__(self, driver, site, ears) -> None:
        self.driver, self.site, self.ears = driver, site, ears

    # The window

    def open(self, path: str) -> None:
        """Go to a page of the site as by typing its address."""
        self.ears.take()
        self.driver.open(self.site.url + path)
        self.until(LOADED)

    def follow(self, path: str) -> None:
        """Go to a page by instant navigation, as by a link to it."""
        self.evaluate(FOLLOW, self.site.url + path)
        self.until(ARRIVED, "/repo/" + path.partition("?")[0])

    def evaluate(self, function: str, *arguments):
        return self.driver.evaluate(function, *arguments)

    def until(self, condition: str, *arguments) -> None:
        """Wait until a function of the page says yes."""
        assert self.evaluate(UNTIL % condition, *arguments), f"waited in vain for {condition} {arguments}"

    # What is there

    def text(self, selector: str) -> str | None:
        return self.evaluate(TEXT, selector)

    def shown(self, selector: str) -> bool:
        """Whether a reader can see an element."""
        return self.evaluate(SHOWN, selector)

    def sees(self, selector: str, text: str) -> None:
        """Wait until an element is visible and holds a text."""
        self.until(f"(selector, text) => ({SHOWN})(selector) && ({TEXT})(selector).includes(text)", selector, text)

    # Hands

    def focus(self, selector: str) -> None:
        assert self.evaluate(FOCUS, selector), f"{selector} took no focus"

    def press(self, selector: str, *keys: str) -> None:
        """Press keys on an element that has the focus."""
        self.focus(selector)
        for key in keys:
            self.driver.press(key)

    def click(self, selector: str) -> None:
        self.driver.click(*self.evaluate(MIDDLE, selector))

    # Widgets

    def stage(self, name: str, stage: str) -> None:
        """Wait until a widget's engine has come so far."""
        self.until("(selector, stage) => document.querySelector(selector).dataset.stage === stage", at(name), stage)

    def change(self, name: str, control, value) -> None:
        """Give a control a value by the keyboard."""
        if isinstance(control, Choice):
            self._step(name, control, list(control.options), value, f"{field(name, control)} :checked")
        elif value in (control.least, control.most):
            self.press(f"{field(name, control)} .sw-range", "Home" if value == control.least else "End")
        elif value in control.stops:
            self._step(name, control, control.stops, value, f"{field(name, control)} .sw-range")
        else:
            self.press(f"{field(name, control)} .sw-number", *str(value))

    def _step(self, name, control, places, value, selector) -> None:
        at, to = places.index(self.value(name, control)), places.index(value)
        for _ in range(abs(to - at)):
            self.press(selector, "ArrowRight" if to > at else "ArrowLeft")

    def value(self, name: str, control):
        """What a control stands on."""
        if isinstance(control, Choice):
            return self.evaluate(
                "(selector) => document.querySelector(selector).value", f"{field(name, control)} :checked"
            )
        number = f"{field(name, control)} .sw-number"
        return int(self.evaluate("(selector) => document.querySelector(selector).value", number))

    def shows(self, name: str, **params) -> None:
        """Wait until everything a widget shows is Python's answer; fail with the difference."""
        view = answer(name, **params)
        keys, wanted = keys_of(view), facets(view)
        self.evaluate(LOOK, at(name, ".sw-chart"))
        self.evaluate(UNTIL % SAME, at(name), keys, wanted)
        assert self.evaluate(SEEN, at(name), keys) == wanted
        widget = BY_NAME[name]
        assert {each.name: self.value(name, each) for each in widget.controls} == widget.defaults | params


def at(name: str, part: str = "") -> str:
    """Where a widget is, or a part of it."""
    return f'shard-widget[name="{name}"] {part}'.strip()


def field(name: str, control) -> str:
    return at(name, f'[data-control="{control.name}"]')
