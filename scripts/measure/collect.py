"""Merge records into the files that the site reads, one a kind. No torch here."""

import copy
import json
from argparse import Namespace
from typing import Any

from .case import SCHEMA
from .errors import wrong
from .records import Record, dishonest, load_all, title, without, write
from .suites import kind_of


def collect(told: Namespace) -> int:
    """Merge; the newest record of a key wins. Raises `errors.RefusalError` for input that is no record."""
    found: list[Record] = []
    for directory in told.records:
        if not directory.is_dir():
            raise wrong(f"{directory} is no directory; `run` makes it, and its --out says where")
        found += load_all(directory)
    before = load_all(told.into)
    fresh = [rest for record in found if (rest := honest(record))]
    kept = {record["key"]: record for record in sorted([*before, *fresh], key=lambda one: one["provenance"]["date"])}
    kinds = sorted({record["case"]["kind"] for record in kept.values()})
    for kind in kinds:
        records = sorted((one for one in kept.values() if one["case"]["kind"] == kind), key=place_of)
        write(told.into / f"{kind}.json", written(kind, records))
    print(f"collect: {len(kept)} records of {len(kinds)} kinds in {told.into}, {len(kept) - len(before)} of them new")
    return 0


def honest(record: Record) -> Record | None:
    """The record without times and rates that no real network made, each told; None where that leaves nothing to show."""
    refused = dishonest(record)
    if not refused:
        return record
    backend = record["provenance"]["backend"]
    carried = "nothing was sent" if backend == "fake" else f"{backend} through the host's memory carried the bytes"
    for field in refused:
        print(f"collect: left out of {title(record)}: {field} is a time or a rate, and {carried}")
    rest = copy.deepcopy(record)
    rest["result"] = without(record["result"])
    try:
        if rest["result"] and kind_of(record["case"]["kind"]).checks(rest):
            return rest
    except (KeyError, TypeError, IndexError):
        pass  # what the kind compares is gone
    print(f"collect: left out wholly: {title(record)}: it has nothing else")
    return None


def place_of(record: Record) -> tuple[Any, ...]:
    """Where a record stands in its file, whenever and wherever it was measured."""
    asked, source = record["case"], record["provenance"]
    options = json.dumps(asked, sort_keys=True)
    return asked["world"], asked["transport"], options, source["device"], source["torch"], record["key"]


def written(kind: str, records: list[Record]) -> str:
    """The file of a kind: a line for each part of a record and each figure, so that a change shows as what it is."""

    def lines(told: dict[str, Any]) -> str:
        return ",\n".join(f"    {json.dumps(key)}: {json.dumps(told[key], sort_keys=True)}" for key in sorted(told))

    def one(record: Record) -> str:
        parts = (f'"key": "{record["key"]}"', f'"schema": {record["schema"]}')
        parts += (f'"case": {json.dumps(record["case"], sort_keys=True)}',)
        parts += tuple(f'"{part}": {{\n{lines(record[part])}\n   }}' for part in ("provenance", "result"))
        return "  {" + ",\n   ".join(parts) + "}"

    head = f'{{"schema": {SCHEMA}, "kind": {json.dumps(kind)}, "records": [\n'
    return head + ",\n".join(map(one, records)) + "\n]}\n"
