"""How long the model takes for one report and for a search: the same file under CPython and under Pyodide.

python -m scripts.bench.speed prints the figures of this Python as JSON. It needs nothing but the model.
"""

import json
import statistics
import sys
import time

from model.plan import memory_report
from model.search import searching
from model.step_report import step_report

REPORTS = 20  # each of another plan, so that none finds anything kept by the one before
PLAN = {
    "model": "llama-3.1-405b",
    "cluster": {"gpu": "h100-sxm-80gb", "gpus": 1024},
    "recipe": {"preset": "megatron"},
    "activation": {"implementation": "megatron-te"},
}
LAYOUT = {"tp": 8, "pp": 16, "cp": 1, "vpp": 2, "zero": 1, "sequence_parallel": True}
SEARCH = PLAN | {"layout": {"cp": 1}, "batch": {"seq": 8192, "global_batch": 1024}}
# Parts of the same space, for the cost of a layout: each is about twice the one before.
PARTS = (
    SEARCH | {"layout": {"cp": 1, "zero": 1, "sequence_parallel": True}},
    SEARCH | {"layout": {"cp": 1, "zero": 1}},
)


def report_ms(report: object) -> dict:
    """Milliseconds of the first report, and the median of those of plans that differ in the length of a sequence."""
    taken = []
    for number in range(REPORTS):
        plan = PLAN | {"layout": LAYOUT, "batch": {"seq": 8192 - 64 * number, "micro_batch": 1, "global_batch": 1024}}
        start = time.process_time()
        report(plan)
        taken.append(1000 * (time.process_time() - start))
    return {"first_ms": round(taken[0], 2), "value": round(statistics.median(taken), 2)}


def forget() -> None:
    """Empties every cache of the model, so that a search finds nothing done by the one before."""
    for name, module in list(sys.modules.items()):
        if name.startswith("model."):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def search_s(given: dict) -> dict:
    """Seconds of a search, the layouts it looked at, and how many of them fit."""
    forget()
    start, steps = time.process_time(), searching(given)
    while True:
        try:
            told = next(steps)
        except StopIteration as done:
            taken = time.process_time() - start
            each_us = 1e6 * taken / told.total
            return {
                "value": round(taken, 3),
                "layouts": told.total,
                "fit": done.value["count"],
                "us_per_layout": round(each_us),
            }


def measured() -> dict:
    """All figures of this Python."""
    return {
        "python": sys.version.split()[0],
        "memory_report": report_ms(memory_report),
        "step_report": report_ms(step_report),
        "parts": [search_s(part) for part in PARTS],
        "search": search_s(SEARCH),
    }


if __name__ == "__main__":
    print(json.dumps(measured()))
