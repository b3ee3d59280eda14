"""``python -m tests.protections [U13 …]``: take each protection away, and see its tests fail."""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from queue import SimpleQueue

from scripts.tools import BUILD, output_of

from .groups import EXPECTATIONS
from .record import Expectation, Removal
from .scratch import Scratch
from .verdict import NOTICED, Finding, doubtful, run, verdict

JOBS = int(os.environ.get("JOBS", 2))


def chosen(names: list[str]) -> list[Expectation]:
    """The expectations that were named, or all."""
    unknown = set(names) - {each.id for each in EXPECTATIONS}
    if unknown:
        sys.exit(f"protections: there is no {', '.join(sorted(unknown))}")
    return [each for each in EXPECTATIONS if not names or each.id in names]


def whole(scratch: Scratch, expectations: list[Expectation]) -> list[str]:
    """The tests that fail with every protection in place: of those, failing without one would prove nothing."""
    tests = tuple(dict.fromkeys(chain.from_iterable(each.tests for each in expectations)))
    return [f"{test}: {each.complaint}" for test, each in run(scratch.folder, tests).items() if each.complaint]


def lines(copies: SimpleQueue, expectation: Expectation, removal: Removal) -> Iterator[tuple[bool, str]]:
    """For each test of a removal, whether it noticed and a line of the table."""
    scratch = copies.get()
    try:
        with scratch.lacking(removal):
            found = run(scratch.folder, removal.tests)
        # Whoever waited in vain may only have been slow: now, beside the other runs, the same patience has to do.
        again = run(scratch.folder, doubtful(found, stops_build=removal.stops_build))
    finally:
        copies.put(scratch)
    for test, each in found.items():
        whole_again = again.get(test, Finding("")).complaint
        said = verdict(each.complaint, whole_again, stops_build=removal.stops_build)
        short = " ".join((whole_again or each.complaint).split())[:110]
        yield (
            said == NOTICED,
            f"{expectation.id}  {said:<16}  {removal.why}\n     {test}\n     {short or 'it passed'}",
        )


def main(names: list[str]) -> int:
    """Run the tests with everything in place, then without one protection after the other."""
    expectations = chosen(names)
    output_of(sys.executable, "-m", "scripts.vendor")  # once here, so that the copies begin with it
    copies: SimpleQueue = SimpleQueue()
    scratches = [Scratch(BUILD / "protections" / f"copy-{number}") for number in range(JOBS)]
    print(f"protections: the tests of {len(expectations)} expectations, with every protection in place", flush=True)
    failing = whole(scratches[0], expectations)
    if failing:
        print("These fail as it is, so nothing can be learnt from them:", *failing, sep="\n  ")
        return 1
    for scratch in scratches:
        copies.put(scratch)
    good = []
    with ThreadPoolExecutor(JOBS) as pool:
        pairs = [(each, removal) for each in expectations for removal in each.removals]
        for found in pool.map(lambda pair: list(lines(copies, *pair)), pairs):
            for noticed_it, line in found:
                good.append(noticed_it)
                print(line, flush=True)
    print(f"protections: {len(pairs)} taken away, {sum(good)} of {len(good)} tests noticed")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
