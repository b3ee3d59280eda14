"""A widget on a page as a reader meets it: its controls by role and label, what it shows, and what Python says."""

import json
import re
from contextlib import suppress
from functools import cache

from playwright.sync_api import Locator, Page, TimeoutError, expect

from widgets.api import render
from widgets.foot import GROUPS, MORE
from widgets.registry import BY_NAME
from widgets.spec import Choice, Slider

# What the theme adds to a figure; everything else must be exactly what Python said.
LOOK = {"marker", "line", "textfont", "insidetextfont", "outsidetextfont", "hoverlabel"}

TAKEN = {label for _, actions in GROUPS for label in actions.values()}

# Reads a widget as it stands. Of each trace, the keys that Python's own trace has.
READ = """(element, keys) => {
  const all = (root, selector) => [...root.querySelectorAll(selector)];
  const text = (root, selector) => root.querySelector(selector)?.textContent ?? null;
  const plot = element.querySelector(".js-plotly-plot");
  const pick = (trace, names) => Object.fromEntries(names.map((name) => [name, trace?.[name] ?? null]));
  return {
    readouts: all(element, ".sw-readout").map((box) => [
      box.dataset.key, text(box, "dt"), text(box, ".sw-value"), text(box, ".sw-note"), box.dataset.state]),
    legend: all(element, ".sw-legend li").map((item) => [item.querySelector("[data-role]").dataset.role, item.textContent]),
    caption: text(element, ".sw-caption"),
    summary: element.querySelector(".sw-chart").getAttribute("aria-label"),
    table: [text(element, "table caption"), ...all(element, "table tr").map((row) => [...row.cells].map((cell) => cell.textContent))],
    traces: plot?.data?.length ?? 0,
    chart: keys.map((names, place) => pick(plot?.data?.[place], names)),
  };
}"""
SAME = f"([element, keys, wanted]) => JSON.stringify(({READ})(element, keys)) === JSON.stringify(wanted)"


@cache
def _answer(name: str, params_json: str) -> str:
    return render(name, params_json)


def answer(name: str, **params) -> dict:
    """What Python says about a widget, computed here."""
    return json.loads(_answer(name, json.dumps(params)))


def keys_of(view: dict) -> list[list[str]]:
    """The keys that Python gave each trace of its figure."""
    return [[key for key in trace if key not in LOOK] for trace in view["figure"]["data"]]


def facets(view: dict) -> dict:
    """All that a widget shows of an answer, in the form that READ gives."""
    readouts = [[item[key] for key in ("key", "label", "value", "note", "state")] for item in view["readouts"]]
    table = view["table"]
    return {
        "readouts": readouts,
        "legend": [[item["role"], item["label"]] for item in view["legend"]],
        "caption": view["caption"],
        "summary": view["summary"],
        "table": [table["caption"], table["columns"], *table["rows"]],
        "traces": len(view["figure"]["data"]),
        "chart": [
            {key: trace[key] for key in keys} for trace, keys in zip(view["figure"]["data"], keys_of(view), strict=True)
        ],
    }


class Instrument:
    """One ``<shard-widget>``. ``place`` counts where a page has the same one twice."""

    def __init__(self, page: Page, name: str, place: int = 0) -> None:
        self.page, self.name, self.widget = page, name, BY_NAME[name]
        named = page.get_by_role("figure", name=self.widget.title, exact=True)
        self.element = page.locator("shard-widget").filter(has=named).nth(place)
        self.figure = self.element.get_by_role("figure", name=self.widget.title, exact=True)
        self.chart = self.element.locator("[role=img].sw-chart")
        self.status = self.element.get_by_role("status")
        self.alert = self.element.get_by_role("alert")
        self.note = self.element.locator(".sw-link-note")

    # Controls

    def slider(self, name: str) -> Locator:
        return self.element.get_by_role("slider", name=self._label(name), exact=True)

    def number(self, name: str) -> Locator:
        return self.element.get_by_role("spinbutton", name=f"{self._label(name)}, exact number")

    def option(self, name: str, token: str) -> Locator:
        return self.element.get_by_role("radio", name=self.widget.control(name).options[token], exact=True)

    def action(self, label: str) -> Locator:
        """A button at the foot; what is taken along is opened first, as a reader does."""
        more = self.element.get_by_role("button", name=MORE)
        if label in TAKEN and more.get_attribute("aria-expanded") == "false":
            more.click()
        return self.element.get_by_role("button", name=label)

    def _label(self, name: str) -> str:
        return self.widget.control(name).label

    def set(self, **params) -> None:
        """Give controls values as a reader does: type the number, pick the option."""
        for name, value in params.items():
            if isinstance(self.widget.control(name), Slider):
                self.number(name).fill(str(value))
            else:
                self.option(name, value).check()

    def values(self) -> dict:
        """What the controls stand on."""
        return {
            control.name: self.element.get_by_role("radio", checked=True).get_attribute("value")
            if isinstance(control, Choice)
            else int(self.number(control.name).input_value())
            for control in self.widget.controls
        }

    # What it shows

    def shows(self, **params) -> None:
        """Wait until everything it shows is Python's answer for these values, defaults filled in; fail with the difference."""
        view = answer(self.name, **params)
        assert "error" not in view
        keys, wanted = keys_of(view), facets(view)
        self.in_view()
        with suppress(TimeoutError):
            self.page.wait_for_function(SAME, arg=[self.element.element_handle(), keys, wanted])
        assert self.element.evaluate(READ, keys) == wanted

    def readout(self, key: str) -> str:
        """One read-out's value and note, with ordinary spaces."""
        box = self.element.locator(f'.sw-readout[data-key="{key}"] dd')
        return " ".join(box.text_content().split())

    def table(self) -> list[list[str]]:
        """The data table, head first."""
        return self.element.evaluate(READ, [])["table"][1:]

    def legend(self) -> list[list[str]]:
        """The legend's items: role and label."""
        return self.element.evaluate(READ, [])["legend"]

    def summary(self) -> str:
        """The chart's one sentence."""
        return self.element.evaluate(READ, [])["summary"]

    def layout(self, expression: str):
        """Part of the drawn chart's full layout, or of the plot itself: ``gd`` is the plot."""
        return self.element.evaluate(
            f"element => {{ const gd = element.querySelector('.js-plotly-plot'); return {expression}; }}"
        )

    def ready(self) -> "Instrument":
        """Wait until its engine runs; each stage on the way may take as long as anything may."""
        for stages in ("fetching|starting|ready", "starting|ready", "ready"):
            expect(self.element).to_have_attribute("data-stage", re.compile(f"^({stages})$"))
        return self

    def in_view(self) -> "Instrument":
        """Bring its chart into the window, whether or not it keeps still meanwhile, as Playwright's own way waits for."""
        self.chart.evaluate("chart => chart.scrollIntoView({ block: 'nearest', behavior: 'instant' })")
        return self

    def drawn(self) -> "Instrument":
        """Wait until its chart is drawn, whatever it shows."""
        self.in_view()
        expect(self.element.locator(".js-plotly-plot .main-svg").first).to_be_visible()
        return self

    def settled(self) -> "Instrument":
        """Wait until the last change counts as settled: the link is written."""
        expect(self.element).to_have_attribute("data-settled", "true")
        return self

    @property
    def revision(self) -> int:
        return int(self.element.get_attribute("data-revision"))
