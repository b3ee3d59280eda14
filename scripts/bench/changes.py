"""From a change to the frame that shows it, beside the widget written by hand; and what a thousand changes leave."""

from playwright.sync_api import Page

from scripts.bench import by_hand
from scripts.bench.lab import CHART, Lab
from scripts.bench.starts import WIDGET_PAGE
from scripts.bench.tasks import longest

WARM_UP = 20
BLOCK = 20
RANGE = "shard-widget .sw-range"
MANY = """async ([selector, times]) => {
  const range = document.querySelector(selector);
  const element = range.closest("shard-widget");
  for (let step = 0; step < times; step += 1) {
    const before = element.dataset.revision;
    range.value = String((step % 2) * 10);
    range.dispatchEvent(new Event("input", { bubbles: true }));
    while (element.dataset.revision === before) await new Promise((done) => requestAnimationFrame(done));
  }
}"""


def percentile(samples: list[float], share: float) -> float:
    """The smallest sample that at least this share of all samples does not exceed."""
    ordered = sorted(samples)
    return ordered[max(0, -(-round(len(ordered) * share * 1000) // 1000) - 1)]


def start(lab: Lab, page: Page, path: str) -> None:
    """Open a lesson page and get its engine to answer."""
    lab.open_lesson(page, path)
    page.locator(RANGE).first.press("ArrowRight")
    page.wait_for_function("() => bench.live !== null")


def press(page: Page, times: int) -> list[float]:
    """Milliseconds from each key press to the frame that shows its chart."""
    slider = page.locator(RANGE).first
    before = page.evaluate("bench.draws.length")
    for number in range(times):
        drawn = page.evaluate("bench.draws.length")
        slider.press("ArrowLeft" if number % 2 else "ArrowRight")
        page.wait_for_function("drawn => bench.draws.length > drawn", arg=drawn)
    return [round(value, 2) for value in page.evaluate("bench.draws")[before:]]


def beside_javascript(lab: Lab, count: int) -> dict:
    """The same changes in the lesson and in the page by hand, in blocks by turns, with the longest task of the lesson."""
    draws: dict[str, list[float]] = {"python": [], "javascript": []}
    with lab.reader() as lesson, lab.reader() as hand:
        start(lab, lesson, WIDGET_PAGE)
        hand.goto(f"{lab.site.url}{lab.rivals}by_hand.html")
        hand.locator(CHART).first.wait_for()
        checked = by_hand.check(hand)
        pages = {"python": lesson, "javascript": hand}
        for page in pages.values():
            press(page, WARM_UP)
        began = lesson.evaluate("performance.now()")
        for block in range(count // BLOCK):
            for kind in list(pages)[:: -1 if block % 2 else 1]:
                pages[kind].bring_to_front()
                draws[kind] += press(pages[kind], BLOCK)
        told = lesson.evaluate("bench")
    return {"draws": draws, "equal_answers": checked, "longest_task": longest(told, began)}


def of_page(lab: Lab, path: str, count: int) -> list[float]:
    """The same for the first widget of another page."""
    with lab.reader() as page:
        start(lab, page, path)
        press(page, WARM_UP)
        return press(page, count)


def heap(lab: Lab, changes: int) -> dict:
    """Bytes of Python's memory and of the page's objects after half of the changes, and after all of them."""
    with lab.reader() as page:
        start(lab, page, WIDGET_PAGE)
        devtools = page.context.new_cdp_session(page)
        devtools.send("Performance.enable")
        told = {}
        for name, times in (("early", changes // 2), ("late", changes - changes // 2)):
            page.evaluate(MANY, [RANGE, times])
            page.evaluate("Object.values(bench).forEach((noted) => Array.isArray(noted) && noted.splice(0))")
            for _ in range(2):  # what only falls with the first goes with the second
                devtools.send("HeapProfiler.collectGarbage")
            metrics = {each["name"]: each["value"] for each in devtools.send("Performance.getMetrics")["metrics"]}
            python = page.evaluate("shardscope.memory()")
            told[name] = {"python": python, "page": int(metrics["JSHeapUsedSize"]), "nodes": int(metrics["Nodes"])}
    return told
