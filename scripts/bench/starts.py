"""From a reader's first intent to the first live answer, and beside it what the rivals' starts take."""

import statistics
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page

from scripts.bench.lab import Lab
from scripts.bench.tasks import longest

WIDGET_PAGE = "zero-fsdp/"
FILLS = 2  # visits before a warm one: the second one keeps compiled scripts too
CACHED_BYTES = 200_000  # a warm start that fetched more was not warm
# What the worker notes of its own start, in its order; each is the end of a part.
STEPS = ("origin", "asked", "fetched", "loaded", "ready")
# Seen from the page: the worker starts; its modules run; all files are here and compiled; Python runs; `widgets` is
# imported; the answer is computed, sent and drawn.
PARTS = ("worker", "modules", "files", "restore", "import", "first answer")


def _live(lab: Lab, page: Page) -> dict:
    page.locator("shard-widget .sw-range").first.press("ArrowRight")
    page.wait_for_function("() => bench.live !== null")
    told = page.evaluate("({ ...bench, times: shardscope.status().times, page: performance.timeOrigin })")
    origin = told["times"]["origin"] - told["page"]
    ends = [origin, *(origin + told["times"][step] for step in STEPS[1:]), told["live"]]
    starts = [told["intent"], *ends[:-1]]
    parts = {name: round(end - start, 1) for name, start, end in zip(PARTS, starts, ends, strict=True)}
    task = longest(told, told["intent"], told["live"])
    return {"ms": told["live"] - told["intent"], "parts": parts, "longest_task": task}


def _rival(lab: Lab, page: Page) -> dict:
    return {"ms": page.evaluate("start()")}


def _addresses(lab: Lab) -> dict[str, str]:
    up = "../../../"
    return {
        "stock": f"{lab.rivals}stock.html?engine={up}{lab.manifest['engine']['base']}",
        "micropython": f"{lab.rivals}micropython.html?core=pyscript/core.js&interpreter=micropython/micropython.mjs",
    }


def one(lab: Lab, kind: str, profile: Path | None = None, mbit: float = 0) -> dict:
    """One start in a new browser: its time, and the bytes and requests that it took."""
    with lab.reader(profile) as page:
        if kind == "live":
            lab.open_lesson(page, WIDGET_PAGE)
        else:
            page.goto(lab.site.url + _addresses(lab)[kind])
            page.wait_for_function("() => globalThis.start")
        line = lab.site.line
        before = line.sent_bytes, line.answers
        lab.site.limit(mbit)
        sample = (_live if kind == "live" else _rival)(lab, page)
        lab.site.limit(0)
        sample |= {"bytes": line.sent_bytes - before[0], "requests": line.answers - before[1]}
    sample["ms"] = round(sample["ms"], 1)
    if mbit and sample["ms"] < 0.95 * sample["bytes"] * 8 / (mbit * 1000):
        raise RuntimeError(f"{kind}: {sample['bytes']:,} bytes in {sample['ms']} ms is faster than {mbit} Mbit/s")
    if profile and sample["bytes"] > CACHED_BYTES:
        raise RuntimeError(f"{kind}: a warm start fetched {sample['bytes']:,} bytes")
    return sample


def rounds(lab: Lab, kinds: tuple[str, ...], count: int, *, warm: bool, mbit: float) -> dict[str, dict]:
    """Starts of all kinds in turn, each time in the other order, so that a busy machine is unfair to none."""
    samples: dict[str, list[dict]] = {kind: [] for kind in kinds}
    with TemporaryDirectory() as folder:
        profiles = {kind: Path(folder, kind) if warm else None for kind in kinds}
        for kind in kinds if warm else ():
            for _ in range(FILLS):
                _fill(lab, kind, profiles[kind])
        for number in range(count):
            for kind in kinds[:: -1 if number % 2 else 1]:
                samples[kind].append(one(lab, kind, profiles[kind], mbit))
    return {
        kind: {"ms": statistics.median(each["ms"] for each in taken), "samples": taken}
        for kind, taken in samples.items()
    }


def _fill(lab: Lab, kind: str, profile: Path) -> None:
    with lab.reader(profile) as page:
        if kind == "live":
            lab.open_lesson(page, WIDGET_PAGE)
            _live(lab, page)
        else:
            page.goto(lab.site.url + _addresses(lab)[kind])
            page.wait_for_function("() => globalThis.start")
            _rival(lab, page)
