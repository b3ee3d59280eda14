"""The model's figure beside every measured one, worst first. No torch here."""

import sys
from argparse import Namespace
from dataclasses import dataclass

from .check import Check
from .errors import FAILED, wrong
from .records import Record, faults, load_all, title
from .suites import kind_of


@dataclass(frozen=True, slots=True)
class Row:
    """A check and the record that it is of."""

    record: Record
    check: Check

    @property
    def state(self) -> str:
        """What came of it."""
        return "agrees" if self.check.holds else "explained" if self.check.why else "OUTSIDE"

    @property
    def badness(self) -> tuple[int, float, float]:
        """Larger is worse: what fails first, then by the share of its tolerance that the difference uses."""
        off = abs(self.check.off)
        used = off / self.check.tolerance if self.check.tolerance else float("inf") if off else 0
        return ["agrees", "explained", "OUTSIDE"].index(self.state), used, off


def compare(told: Namespace) -> int:
    """Print the comparison; 1 where a figure is outside its tolerance. Raises `errors.RefusalError` for what is no record."""
    if not told.records.is_dir():
        raise wrong(f"{told.records} is no directory with records; `run` and `collect` make them")
    records = load_all(told.records)
    if not records:
        raise wrong(f"{told.records} holds no record; `run` and `collect` make them")
    broken = faults(told.records)
    rows = []
    for record in records:
        try:
            rows += [Row(record, check) for check in kind_of(record["case"]["kind"]).checks(record)]
        except (KeyError, TypeError, ValueError, IndexError) as error:
            broken.append(f"{title(record)}: cannot be compared ({type(error).__name__}: {error}); measure it again")
    rows.sort(key=lambda row: row.badness, reverse=True)
    shown = [row for row in rows if row.state != "agrees"]
    shown += [row for row in rows if row.state == "agrees"][: told.rows]
    print_table(shown)
    for sentence in broken:
        print(f"compare: {sentence}", file=sys.stderr)
    count = {state: sum(row.state == state for row in rows) for state in ("agrees", "explained", "OUTSIDE")}
    print(
        f"compare: {len(rows)} figures of {len(records)} records: {count['agrees']} agree, {count['explained']} differ as "
        f"explained, {count['OUTSIDE']} are outside their tolerance"
    )
    return FAILED if count["OUTSIDE"] or broken else 0


def print_table(rows: list[Row]) -> None:
    """Print the rows, and under each that differs for a known reason that reason."""
    if not rows:
        return
    print(f"{'':9}  {'measured':>20}  {'model':>20}  {'off':>11}  {'may be':>9}  unit    what")
    for row in rows:
        check = row.check
        share = "%" if check.relative else ""
        scale = 100 if check.relative else 1
        off, may = (f"{scale * value:{sign}.4g}{share}" for value, sign in ((check.off, "+"), (check.tolerance, "")))
        print(
            f"{row.state:9}  {figure(check.measured):>20}  {figure(check.modelled):>20}  {off:>11}  {may:>9}  "
            f"{check.unit:6}  {check.what}; {title(row.record)}"
        )
        if row.state == "explained":
            print(f"{'':11}{check.why}")


def figure(value: float) -> str:
    """A figure for a person: bytes to the last one."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
