"""What `run` would measure, how long it takes and what it needs. Works without torch."""

from argparse import Namespace

from .asked import Asked, asked_of
from .budget import lasting
from .errors import RefusalError
from .records import load
from .suites import CI_WORLDS, SUITES, TOGETHER, device_of

GPU_WORLD = 8  # of a plan for GPUs that are not here


def plan(told: Namespace) -> int:
    """Print every case of the suites. Raises `errors.RefusalError` for a number of ranks that does not divide."""
    told.minutes, told.skip = None, []
    recorded = known(told)
    for suite in [told.suite] if told.suite else SUITES:
        asked = asked_of(told, suite, told.device or device_of(suite))
        rows = [(world, case) for world in worlds(suite, told.world) for case in asked.cases(world)]
        left = [case for _, case in rows if case.asked not in recorded]
        print(f"{suite}: {SUITES[suite]}{needs(asked)}")
        for world, case in rows:
            state = "recorded" if case.asked in recorded else lasting(case.seconds)
            print(f"  {state:>8}  {case.ram * world / 1e9:6.1f} GB  {case.name}")
        print(f"  {len(rows)} cases, {len(left)} to measure: about {lasting(sum(case.seconds for case in left))}\n")
    return 0


def worlds(suite: str, world: int | None) -> tuple[int, ...]:
    """The numbers of ranks that a suite is planned for."""
    if suite not in TOGETHER:
        return (1,)
    return (world,) if world is not None else CI_WORLDS if suite == "ci" else (GPU_WORLD,)


def needs(asked: Asked) -> str:
    """What a machine must have."""
    if asked.device == "cpu":
        return ""
    return "; needs a GPU" if asked.suite == "one-gpu" else "; needs a GPU a rank (--world N for another number)"


def known(told: Namespace) -> list[dict]:
    """What is recorded in the directory, on whatever machine; broken records are measured again."""
    found = []
    for path in told.out.glob("*.json"):
        try:
            found += [record["case"] for record in load(path)]
        except RefusalError:
            continue
    return found
