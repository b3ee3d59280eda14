"""The inverse questions: the largest micro-batch, the longest sequence, and the fewest GPUs that still fit the card.

value  the answer: the plan with this one number changed takes no more than the card has
next   the number beyond it that the plan could have, and why it fails; both are looked at, not only one
"""

import math
from collections.abc import Callable

from .candidates import divisors
from .counted import Counted, counted_report
from .errors import Invalid, unknown_value
from .fitting import levers, told_apart, worst_bytes
from .models import Model
from .plan import read_fields, read_plan
from .report import fits
from .schema import SECTIONS
from .training import Training, own_context

SECTION_OF = {"micro_batch": "batch", "seq": "batch", "gpus": "cluster"}


def solve_report(given: object, question: str) -> dict:
    """What ``solve`` prints: ``value``, the whole ``plan`` with it, its bytes, and ``next`` {value, reason}.

    ``question``  micro_batch or seq, the largest that fits, or gpus, the fewest. What is asked for may be absent from
                  the plan. A global batch that is given stays: micro_batch and gpus must then divide it.
    ``value``     null where nothing fits; ``next`` is then the least that was tried. ``next`` is null where the plan
                  can have no other number beyond.
    ``seq``       tokens of a sequence, and ``seq_is_own_context``: it is the model's own. Null for a bare parameter count.
    ``change``    where nothing fits, the fields that take memory off (``levers``), none if only larger cards would help.
    Raises ``Invalid`` with the path of the first wrong field.
    """
    if question not in SECTION_OF:
        raise unknown_value("for", question, SECTION_OF)
    asked = _Asked(given, question)
    found, beyond = asked.fewest() if question == "gpus" else asked.most()
    answer = {"for": question, "value": None, "plan": None, "worst_stage_bytes": None, "fits": None}
    if found is not None:
        answer = {"for": question, "value": asked.number(found), **asked.looked_at(found)}
    after = None if beyond is None else {"value": asked.number(beyond), "reason": asked.reason(beyond)}
    return {**answer, "next": after, **asked.about(found)}


class _Asked:
    """A plan in which one number moves: along a list where the batch decides what it can be, else in equal steps."""

    def __init__(self, given: object, question: str) -> None:
        self.given, self.section, self.question = given, SECTION_OF[question], question
        model, sections = read_fields(self._with(1, checked=False))
        layout, batch = sections["layout"], sections["batch"]
        if not isinstance(model, Model) and question != "gpus":
            message = "a number of parameters has no activations; name a model, or ask for gpus"
            raise Invalid("model", "not_supported", {"model": given["model"]}, message)
        if question == "gpus" and layout["dp"] is not None:
            raise Invalid(
                "layout.dp", "contradiction", {}, "dp follows from the GPUs, which are asked for; leave it out"
            )
        self.unit, self.list = 1, None
        split = layout["tp"] * layout["pp"] * layout["cp"]
        total = batch["global_batch"] if isinstance(model, Model) else None
        if question == "gpus":
            self.unit = split * (_replicas_unit(layout) if isinstance(model, Model) else 1)
            if total is not None:
                self.unit = split
                self.list = divisors(_divided(total, "micro_batch", batch["micro_batch"]))
        elif question == "micro_batch" and total is not None:
            dp = max(1, sections["cluster"]["gpus"] // split)
            self.list = divisors(_divided(total, "dp", dp))
        most = SECTIONS[self.section][question].most // self.unit
        if self.list is not None:
            self.list = tuple(place for place in self.list if place <= most)
        self.most_places = most
        self._check()

    def number(self, place: int) -> int:
        """The number at a place."""
        return place * self.unit

    def reason(self, place: int) -> str | None:
        """Why the number at a place fails; None where it fits."""
        try:
            found = self.looked_at(place)
        except Invalid as error:
            return str(error)
        needed, capacity = found["worst_stage_bytes"], self.capacity_bytes
        if needed <= capacity:
            return None
        card = found["plan"]["cluster"]["gpu"]
        takes, has = told_apart(needed, capacity, 2)
        return f"a stage would take {takes} GB, but {card} has {has} GB"

    def looked_at(self, place: int) -> dict:
        """The plan with the number at a place, and what its fullest stage takes."""
        plan = read_plan(self._with(self.number(place)))
        self.capacity_bytes = plan.capacity_bytes
        if isinstance(plan, Counted):
            report = counted_report(plan)
            needed = report["stages"][report["worst_stage"]]["allocated_peak"]
            return {"plan": plan.fields, "worst_stage_bytes": needed, "fits": report["fits"]}
        needed = worst_bytes(plan)
        return {"plan": plan.fields, "worst_stage_bytes": needed, "fits": fits(plan, needed)}

    def about(self, found: int | None) -> dict:
        """What the report says beside the answer: the sequence, and where nothing fits, what takes memory off."""
        place = found or self._smallest_rank()
        try:
            plan = read_plan(self._with(self.number(place)))
        except Invalid:  # a place whose batch does not come out even
            plan = None
        if not isinstance(plan, Training):
            return dict.fromkeys(("seq", "seq_is_own_context", "change"))
        change = [field for field in levers(plan) if field != f"{self.section}.{self.question}"]
        own = {"seq": plan.seq, "seq_is_own_context": own_context(plan.seq, plan.shape)}
        return {**own, "change": None if found else change}

    def most(self) -> tuple[int | None, int | None]:
        """The largest place that fits and the next one: along a list from its end, else by doubling and halving."""
        if self.list is not None:
            return _first(tuple(reversed(self.list)), self.reason)
        if self.reason(1):
            return None, 1
        good, bad = 1, 2
        while bad <= self.most_places and not self.reason(bad):
            good, bad = bad, 2 * bad
        if bad > self.most_places:
            bad = self.most_places + 1
        good, bad = _edge(good, bad, self.reason)
        return good, bad if bad <= self.most_places else None

    def fewest(self) -> tuple[int | None, int | None]:
        """The smallest place that fits and the next one below."""
        if self.list is not None:
            return _first(self.list, self.reason)
        bad, good = 0, 1
        while self.reason(good):
            if good == self.most_places:
                return None, 1
            bad, good = good, min(2 * good, self.most_places)
        good, bad = _edge(good, bad, self.reason)
        return good, bad or None

    def _smallest_rank(self) -> int:
        """The place where a rank holds least: the fewest sequences or tokens, or the most GPUs."""
        if self.question != "gpus":
            return 1
        return self.list[-1] if self.list else self.most_places

    def _check(self) -> None:
        """Raises what is wrong with the plan whatever the number: all places fail, and the first not for the batch."""
        place = self.list[0] if self.list else 1
        try:
            self.looked_at(place)
        except Invalid as error:
            if not self.list or error.field not in ("batch.global_batch", "layout.ep", "layout.shard_group"):
                raise

    def _with(self, number: int, *, checked: bool = True) -> object:
        """The plan with the number asked for."""
        if not isinstance(self.given, dict) or not isinstance(self.given.get(self.section, {}), dict):
            return self.given  # to be refused
        own = self.given.get(self.section, {})
        if not checked and self.question in own:
            return self.given
        return {**self.given, self.section: {**own, self.question: number}}


def _edge(good: int, bad: int, reason: Callable[[int], str | None]) -> tuple[int, int]:
    """Neighbours, one that fits and one that does not, between two that are further apart."""
    while abs(bad - good) > 1:
        middle = (good + bad) // 2
        good, bad = (good, middle) if reason(middle) else (middle, bad)
    return good, bad


def _first(places: tuple[int, ...], reason: Callable[[int], str | None]) -> tuple[int | None, int | None]:
    """The first place that fits, and the one before it; the last one where none fits."""
    before = None
    for place in places:
        if not reason(place):
            return place, before
        before = place
    return None, before


def _divided(total: int, name: str, part: int) -> int:
    """The batch divided by what stays; raises ``Invalid`` where it does not come out even."""
    if total % part:
        message = f"{name} = {part} does not divide {total} sequences; use a multiple of {part}"
        raise Invalid("batch.global_batch", "not_divisible", {"global_batch": total, name: part}, message)
    return total // part


def _replicas_unit(layout: dict) -> int:
    """The fewest dp that experts and shard groups can be dealt over; every legal one is a multiple."""
    experts = layout["ep"] * layout["etp"]
    group = layout["shard_group"] or 1
    each = experts // math.gcd(experts, layout["cp"] * layout["tp"])
    return math.lcm(each, group // math.gcd(group, layout["cp"]))
