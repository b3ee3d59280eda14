"""How far the model is from each source of the tests, scored once and kept: what the page "How right is it?" prints.

Scoring takes seconds, a page must not: the rows are kept under the hash of everything that they depend on.
"""

import csv
import json
import os
import time
from contextlib import suppress
from functools import lru_cache
from io import StringIO

from scripts.tools import BUILD, ROOT
from scripts.tree_hash import content_hash, files_hash
from tests.model.evidence import rankings
from tests.model.evidence.score import Measured, Scored
from tests.model.evidence.sources import EXACT, MEASURED

KEPT = BUILD / "evidence"
ROWS = ("measured_runs", "speed_rows", "torch_models")  # of tests/model: rows as plans
INPUTS = (
    "model/*.py",
    "tests/model/evidence/*.py",
    "tests/model/data/*.json",
    *(f"tests/model/{name}.py" for name in ROWS),
)
GIB = 2**30
DAY_S = 86_400


def inputs_hash() -> str:
    """The name for all code and data that a score depends on."""
    return files_hash(ROOT, (path for pattern in INPUTS for path in ROOT.glob(pattern) if path.is_file()))


@lru_cache(maxsize=1)
def scores() -> dict:
    """What was scored.

    ``measured``: rows by source; ``exact``: (agreeing, all) by source; ``rankings``: what layouts are ranked like;
    ``twins``: how many times as fast the quicker of two runs of one layout was.
    """
    path = KEPT / f"{inputs_hash()}.json"
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        text = json.dumps(_score())
        _keep(path, text)
    return json.loads(text)


def _keep(path, text: str) -> None:
    """Written in one piece, since several builds may run at once; what they read stays, and is dropped a day later."""
    KEPT.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_text(text, "utf-8")
    part.replace(path)
    for other in KEPT.iterdir():
        with suppress(FileNotFoundError):  # another build drops the same
            if time.time() - other.stat().st_mtime > DAY_S:
                other.unlink()


def _score() -> dict:
    exact = {}
    for source in EXACT:
        agreeing = [match.agrees for match in source.matches()]
        exact[source.key] = (sum(agreeing), len(agreeing))
    return {
        "measured": {
            source.key: [
                (row.name, row.measured, row.predicted, [row.row[field] for field in source.by])
                for row in source.rows()
            ]
            for source in MEASURED
        },
        "exact": exact,
        "rankings": [(*group, layouts, value) for group, (layouts, value) in rankings.rankings().items()],
        "twins": rankings.twin_ratios(),
    }


def rows_of(source: Measured) -> list[Scored]:
    """The scored rows of a source, in the unit that they are shown in."""
    scale = GIB if source.unit == "GiB" else 1
    return [
        Scored(
            name=name,
            measured=measured / scale,
            predicted=predicted / scale,
            row=dict(zip(source.by, groups, strict=True)),
        )
        for name, measured, predicted, groups in scores()["measured"][source.key]
    ]


def csv_of(source: Measured) -> str:
    """Every row of a source as comma-separated values."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("row", f"measured ({source.unit})", f"predicted ({source.unit})", "relative error", *source.by))
    writer.writerows(
        (row.name, f"{row.measured:.10g}", f"{row.predicted:.10g}", f"{row.error:.6g}", *row.row.values())
        for row in rows_of(source)
    )
    return text.getvalue()


@lru_cache(maxsize=1)
def files() -> dict[str, str]:
    """The rows of each source as a file of the site, by the source's key; every name changes with its content."""
    texts = {source.key: csv_of(source) for source in MEASURED}
    folder = content_hash({key: text.encode() for key, text in texts.items()})
    return {f"assets/evidence/{folder}/{key}.csv": text for key, text in texts.items()}


def file_of(source: Measured) -> str:
    """Where the site has the rows of a source."""
    return next(path for path in files() if path.endswith(f"/{source.key}.csv"))
