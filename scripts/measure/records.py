"""Records: one JSON file a case, whole or not there at all, checked in every field when read. No torch here."""

import contextlib
import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .case import SCHEMA, Case, in_words, key_of
from .errors import RefusalError, wrong

Record = dict[str, Any]
ASKED = {"kind": (str,), "world": (int,), "transport": (str,), "device": (str,)}
PROVENANCE = {
    **dict.fromkeys(("date", "torch", "python", "device", "cpu", "backend", "transport", "command"), (str,)),
    **dict.fromkeys(("cuda", "nccl", "driver", "commit"), (str, type(None))),
    "dirty": (bool, type(None)),
    **dict.fromkeys(("world", "nodes"), (int,)),
}
SAYS = {str: "a text", int: "a whole number", bool: "true or false", type(None): "null"}
CHOICES = {"transport": ("real", "fake"), "device": ("cpu", "cuda"), "backend": ("gloo", "nccl", "fake")}
# Only NCCL carries bytes between GPUs as a training run does. Gloo goes through the host's memory, and the fake group
# carries nothing: what they take tells nothing of training.
NETWORKS = ("nccl",)
TIMES = ("_s", "mfu", "hfu")  # "_per_s" ends so too


def path_of(directory: Path, key: str) -> Path:
    """Where the record of this key is kept."""
    return directory / f"{key}.json"


def key_for(case: Case, *, backend: str, device_name: str, torch: str) -> str:
    """The key of a case's record on this machine."""
    return key_of(case.asked, backend=backend, device_name=device_name, torch=torch)


def made(case: Case, result: Any, provenance: dict[str, Any]) -> Record:
    """A record, checked. Raises `errors.RefusalError` naming the field that is not as it must be."""
    key = key_for(case, backend=provenance["backend"], device_name=provenance["device"], torch=provenance["torch"])
    record = {"schema": SCHEMA, "key": key, "case": case.asked, "result": result, "provenance": provenance}
    return checked(record, case.name)


def write(path: Path, text: str) -> None:
    """Put ``text`` there whole: a reader, or a kill at any moment, finds the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    # The new name has to reach the disk as well. Only POSIX can open a directory.
    with contextlib.suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def save(directory: Path, record: Record) -> None:
    """Write the record under its key."""
    write(path_of(directory, record["key"]), json.dumps(record, indent=1, sort_keys=True) + "\n")


def load(path: Path) -> list[Record]:
    """The records of a file: of one case, or of a kind's collection. Raises `errors.RefusalError` naming file and field."""
    try:
        told = json.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise wrong(f"{path.name}: is not readable as JSON ({error}); delete it and measure again") from None
    if not isinstance(told, dict):
        raise wrong(f"{path.name}: must hold an object, as `run` or `collect` writes it")
    if "records" not in told:
        return [checked(told, path.name)]
    if not isinstance(told["records"], list):
        raise wrong(f"{path.name}: records: must be a list")
    return [checked(record, f"{path.name}: records[{index}]") for index, record in enumerate(told["records"])]


def load_all(directory: Path) -> list[Record]:
    """Every record below ``directory``, in a stable order."""
    return [record for path in sorted(directory.glob("*.json")) for record in load(path)]


def is_recorded(directory: Path, key: str) -> bool:
    """Whether a sound record of this key is there; a broken one is measured again."""
    try:
        return path_of(directory, key).exists() and load(path_of(directory, key))[0]["key"] == key
    except RefusalError:
        return False


def checked(record: Any, where: str) -> Record:
    """The record itself. Raises `errors.RefusalError` with ``where``, the field and what is wrong with it."""

    def must(holds: bool, field: str, what: str) -> None:
        if not holds:
            raise wrong(f"{where}: {field}: {what}")

    must(isinstance(record, dict), "the record", "must be an object")
    known = ("schema", "key", "case", "result", "provenance")
    for field in known:
        must(field in record, field, "is missing")
    for field in record:
        must(field in known, field, "is not a field of a record")
    must(record["schema"] == SCHEMA, "schema", f"is {record['schema']!r}, and this reads {SCHEMA}; measure again")
    for part, types in (("case", ASKED), ("provenance", PROVENANCE)):
        told = record[part]
        must(isinstance(told, dict), part, "must be an object")
        for field, allowed in types.items():
            must(field in told, f"{part}.{field}", "is missing")
            must(type(told[field]) in allowed, f"{part}.{field}", f"must be {' or '.join(SAYS[t] for t in allowed)}")
            choices = CHOICES.get(field) if (part, field) != ("provenance", "device") else None
            must(choices is None or told[field] in choices, f"{part}.{field}", f"must be one of {choices}")
    asked, source = record["case"], record["provenance"]
    for field, value in asked.items():
        must(type(value) in (str, int, float, bool), f"case.{field}", "must be a text, a number, true or false")
    must(source.keys() <= PROVENANCE.keys(), "provenance", f"has unknown fields: {set(source) - set(PROVENANCE)}")
    must(asked["transport"] == source["transport"], "provenance.transport", "must be the case's")
    must(isinstance(record["result"], dict) and bool(record["result"]), "result", "must be an object with a figure")
    for field, flaw in flaws(record["result"], "result", ""):
        must(False, field, flaw)
    key = key_of(asked, backend=source["backend"], device_name=source["device"], torch=source["torch"])
    must(record["key"] == key, "key", "is not that of this case, backend, device and torch; measure again")
    return record


def flaws(value: Any, field: str, name: str) -> Iterator[tuple[str, str]]:
    """Field and flaw of everything in a result that is not as it must be; ``name`` is the nearest key's."""
    if isinstance(value, dict):
        for key, inner in value.items():
            # Inside "peak_bytes": {"forward": 3} the figures are bytes too.
            yield from flaws(inner, f"{field}.{key}", name if name.endswith("_bytes") else key)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from flaws(inner, f"{field}[{index}]", name)
    elif name.endswith("_bytes") and type(value) is not int:
        yield field, f"is {value!r}: bytes are whole numbers"
    elif isinstance(value, float) and not math.isfinite(value):
        yield field, f"is {value}, and no figure"
    elif not isinstance(value, str | int | float | bool | None):
        yield field, f"is a {type(value).__name__}, which JSON does not know"


def times(value: Any, field: str = "result") -> Iterator[str]:
    """Every field that holds a time or a rate, by its name."""
    if isinstance(value, dict):
        for key, inner in value.items():
            told = f"{field}.{key}"
            yield from [told] if key.endswith(TIMES) else times(inner, told)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from times(inner, f"{field}[{index}]")


def dishonest(record: Record) -> list[str]:
    """The fields with a time or a rate that no real network made; empty where the record may be shown."""
    source = record["provenance"]
    real = source["transport"] == "real" and source["backend"] in NETWORKS
    return [] if real else list(times(record["result"]))


def without(value: Any) -> Any:
    """A result without its times and rates, and without what held nothing else."""
    if isinstance(value, list | tuple):
        return [without(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    rest = {key: without(inner) for key, inner in value.items() if not key.endswith(TIMES)}
    return {key: inner for key, inner in rest.items() if inner != {} or value[key] == {}}


def title(record: Record) -> str:
    """The record in a line, for a person."""
    asked = record["case"]
    told = in_words((key, value) for key, value in asked.items() if key not in ASKED)
    return f"{asked['kind']}: {told}, {asked['world']} ranks ({record['key']}.json)"


def faults(directory: Path) -> list[str]:
    """What keeps the records in ``directory`` from being shown, a sentence each; empty where all is well.

    What `run` wrote, a file a record, may hold a time over gloo: `collect` leaves it out.
    """
    found = []
    for path in sorted(directory.glob("*.json")):
        try:
            records = load(path)
        except RefusalError as stop:
            found.append(str(stop))
            continue
        found += [
            f"{path.name}: {title(record)}: {field} is a time or a rate, and {record['provenance']['backend']} carried "
            "the bytes; only nccl between real GPUs may give one"
            for record in records
            if path.stem != record["key"]
            for field in dishonest(record)
        ]
    return found
