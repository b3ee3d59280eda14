"""The figures of the table: each has a value, often a target, and the raw samples that it was taken from."""

import statistics
from argparse import Namespace

from scripts.bench import changes, pages, starts
from scripts.bench.lab import FOLDER, Lab
from scripts.bench.table import say
from scripts.weight import BUDGET, frame_bytes, weights

KINDS = ("live", "stock", "micropython")
SLOW_FOR = ("live", "stock")  # MicroPython is small: a slow line says nothing new about it
# What no machine's clock decides stands in scripts/budget.json; these are times and ratios of times.
FULL_SPEED, SLOW_LINE, AGAINST_JAVASCRIPT = 0.40, 1.0, 1.5
FRAME_MS, TASK_MS, START_TASK_MS = 50, 50, 100
OTHERS = {"data-parallel": "data-parallel/", "model-split": "model-parallel/"}


def page(lab: Lab, options: Namespace) -> dict:
    """Bytes and time to a complete page, and the bytes of the engine."""
    frame = frame_bytes()
    visits = {path or "index": pages.weigh(lab, path, frame) for path in pages.LESSON_PAGES}
    heaviest = max(visits.values(), key=lambda visit: visit["bytes"])
    speeds = {f"{mbit:g}": pages.complete(lab, starts.WIDGET_PAGE, options.pairs, mbit) for mbit in (0, options.mbit)}
    engine = weights(FOLDER, lab.manifest)["engine_bytes_vs_stock"]
    return {
        "page_bytes": {"value": heaviest["bytes"], "target": BUDGET["page_bytes"], "samples": visits},
        "page_own_bytes": {
            "value": max(visit["own_bytes"] for visit in visits.values()),
            "target": BUDGET["page_own_bytes"],
            "samples": {name: visit["own_bytes"] for name, visit in visits.items()},
            "frame_bytes": frame,
        },
        "page_complete_ms": {"value": speeds["0"]["ms"], **speeds["0"]},
        "page_complete_10mbit_ms": {"value": speeds[f"{options.mbit:g}"]["ms"], **speeds[f"{options.mbit:g}"]},
        "engine_bytes_vs_stock": {
            "value": engine,
            "target": BUDGET["engine_bytes_vs_stock"],
            "samples": weights(FOLDER, lab.manifest),
        },
    }


def start(lab: Lab, options: Namespace) -> dict:
    """From intent to the first live answer, cold and warm, on a fast line and a slow one."""
    found: dict[str, dict] = {}
    tasks = []
    for mbit in (0, options.mbit):
        for warm in (False, True):
            say(f"starts, {'warm' if warm else 'cold'}, {f'{mbit:g} Mbit/s' if mbit else 'full speed'}")
            kinds = SLOW_FOR if mbit else KINDS
            told = starts.rounds(lab, kinds, options.pairs, warm=warm, mbit=mbit)
            tasks += [sample["longest_task"] for sample in told["live"]["samples"]]
            name = f"intent_to_live{'_warm' if warm else ''}{f'_{mbit:g}mbit' if mbit else ''}"
            found[f"{name}_ms"] = {"value": told["live"]["ms"], "parts": _parts(told["live"]["samples"])}
            for rival in kinds[1:]:
                target = {"stock": SLOW_LINE if mbit else FULL_SPEED}.get(rival)
                found[f"{name}_vs_{rival}"] = {
                    "value": round(told["live"]["ms"] / told[rival]["ms"], 3),
                    **({"target": target} if target else {}),
                    "ours": told["live"],
                    "theirs": told[rival],
                }
    worst = max(tasks, key=lambda task: task["ms"])
    found["longest_task_starting_ms"] = {"value": worst["ms"], "target": START_TASK_MS, "samples": tasks}
    return found


def _parts(samples: list[dict]) -> dict[str, float]:
    names = samples[0]["parts"]
    return {name: round(statistics.median(sample["parts"][name] for sample in samples), 1) for name in names}


def change(lab: Lab, options: Namespace) -> dict:
    """From a change to its frame, beside JavaScript, and the longest task meanwhile."""
    say(f"{options.changes} changes of a control, in Python and in JavaScript")
    told = changes.beside_javascript(lab, options.changes)
    draws = told.pop("draws")
    at = {
        f"p{round(100 * share)}": {kind: changes.percentile(taken, share) for kind, taken in draws.items()}
        for share in (0.5, 0.95, 0.99)
    }
    others = {name: changes.of_page(lab, path, options.changes // 2) for name, path in OTHERS.items()}
    middle = at["p50"]
    return {
        "change_to_drawn_p50_vs_js": {
            "value": round(middle["python"] / middle["javascript"], 3),
            "target": AGAINST_JAVASCRIPT,
            "percentiles_ms": at,
            "equal_answers": told["equal_answers"],
            "samples": draws,
        },
        "change_to_drawn_p95_ms": {"value": at["p95"]["python"], "target": FRAME_MS, "samples": draws["python"]},
        **{
            f"change_to_drawn_p95_ms_{name}": {
                "value": changes.percentile(taken, 0.95),
                "target": FRAME_MS,
                "samples": taken,
            }
            for name, taken in others.items()
        },
        "longest_task_changing_ms": {
            "value": told["longest_task"]["ms"],
            "target": TASK_MS,
            "samples": told["longest_task"],
        },
    }


def heap(lab: Lab, options: Namespace) -> dict:
    """What changes leave in memory: Python's and the page's, each after a collection."""
    say(f"memory after {options.many:,} changes")
    told = changes.heap(lab, options.many)
    growth = {key: told["late"][key] - told["early"][key] for key in ("python", "page", "nodes")}
    return {"heap_growth_bytes": {"value": growth["python"] + growth["page"], "growth": growth, "samples": told}}
