"""All legal layouts of a plan, ranked by the time of a step, and why each other one is out.

candidate  one way to fill in what the plan leaves open (``candidates``)
rejected   a candidate that is not legal, or does not fit the cards; counted by its error's code
front      plans that no other beats in both memory and time (Pareto)
"""

from collections.abc import Generator
from typing import NamedTuple

from .candidates import SEARCHED, Open
from .catalog import gpu_named
from .closed_forms import quick_summary
from .errors import Invalid
from .fitting import levers, told_apart, worst_bytes
from .flops import flops_per_token
from .layout import checked_stage
from .memo import Memo
from .models import Model
from .plan import read_fields
from .recipe import Recipe
from .report import fits
from .schedules import MOST_CHUNKS
from .speeds import speed_of
from .step import check_offload, plan_times, plan_words, schedule_shape, step_time
from .step_report import check_exact, speeds
from .training import Training, check_recompute, filled_seq, own_context

MOST = 200_000  # candidates of one search: minutes of work
# A candidate may be wrong in these; anything else is wrong in every one, and is an error of the plan.
ABOUT_LAYOUT = ("layout", "batch.global_batch", "batch.micro_batch", "schedule.kind")


class Progress(NamedTuple):
    """How far a search is: candidates looked at, of how many, and how many of them are legal and fit."""

    done: int  # candidates looked at
    total: int  # candidates
    found: int  # plans that are legal and fit


def search_report(given: object) -> dict:
    """What ``search`` prints: ``plans`` that are legal and fit, the quickest first, their ``count``, and ``rejected``.

    ``given``: a plan whose layout is absent or partly fixed. Raises ``Invalid`` with the path of the first wrong field.
    """
    steps = searching(given)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value


def searching(given: object) -> Generator[Progress, None, dict]:
    """The same, one candidate at a time: yields ``Progress`` and returns the report; ``close`` it to stop early.

    Takes time in proportion to the candidates; each schedule is laid out once for all that share it.
    Raises ``Invalid``, when first asked, with the path of the first wrong field.
    """
    search = _Search(given)
    total = search.count()
    yield Progress(0, total, 0)
    for done, candidate in enumerate(search.open.candidates(), 1):
        search.look_at(candidate)
        yield Progress(done, total, len(search.plans))
    return search.report(total)


class _Search:
    """One search: what is the same for all candidates, and what was found so far."""

    def __init__(self, given: object) -> None:
        model, sections = read_fields(given)
        if not isinstance(model, Model):
            message = "a number of parameters has no layers to cut; name a model, or give its config.json"
            raise Invalid("model", "not_supported", {"model": given["model"]}, message)
        self.given, self.model, self.sections = given, model, sections
        self.speed = speed_of(gpu_named(sections["cluster"]["gpu"]), sections["recipe"]["compute"])
        check_offload(sections["recipe"]["offload"])
        check_recompute(sections["activation"], model.architecture)
        Recipe.from_plan(sections["recipe"], shapes=True)
        checked_stage(sections["layout"]["zero"], sections["recipe"]["preset"])
        plan_times(sections["schedule"], 1)
        batch = sections["batch"]
        batch["seq"] = filled_seq(batch, model.architecture)
        if batch["global_batch"] is None:
            # One batch for all, so that their times are of the same work: that of as many replicas as there are GPUs.
            batch["global_batch"] = sections["cluster"]["gpus"] * batch["micro_batch"]
        self.open = _open(given, model, sections)
        self.flops = flops_per_token(model.architecture, batch["seq"], sections["flops"]["attention"])
        self.memo = Memo()
        self.plans: list[dict] = []
        self.rejected: dict[str, dict] = {}
        self.change: tuple[str, ...] = ()

    def count(self) -> int:
        """The number of candidates; raises ``Invalid`` where there are too many to look at."""
        total = self.open.count(MOST)
        if total > MOST:
            message = (
                f"there are more than {MOST} ways to fill this in; fix some of {', '.join(SEARCHED)}, or micro_batch"
            )
            raise Invalid("layout", "out_of_range", {"most": MOST}, message)
        return total

    def look_at(self, candidate: dict) -> None:
        """Adds a candidate to the plans, or to those rejected."""
        try:
            self.plans.append(self._answer(candidate))
        except Invalid as error:
            if not error.field.startswith(ABOUT_LAYOUT):
                raise
            found = self.rejected.get(error.code)
            if found is None:
                example = self._plan(candidate)
                self.rejected[error.code] = {"count": 1, "example": example, "message": str(error)}
            else:
                found["count"] += 1

    def report(self, total: int) -> dict:
        """The plans ranked, the front marked; where there are none, the fields to ``change``, none if no batch fits."""
        seq = self.sections["batch"]["seq"]
        change = [field for field in self.change if field != "batch.micro_batch" or self.open.micro_batch is not None]
        ranked = sorted(self.plans, key=lambda plan: (plan["step_s"], plan["worst_stage_bytes"]))
        mark_front(ranked)
        return {
            "plans": ranked,
            "count": len(ranked),
            "rejected": self.rejected,
            "candidates": total,
            "global_batch": self.sections["batch"]["global_batch"],
            "seq": seq,
            "seq_is_own_context": own_context(seq, self.model.architecture),
            "change": None if ranked or "does_not_fit" not in self.rejected else change,
        }

    def _answer(self, candidate: dict) -> dict:
        plan = self._training(candidate)
        needed = worst_bytes(plan, give_up=True)
        if needed > plan.capacity_bytes:
            self.change = self.change or levers(plan)
            takes, has = told_apart(needed, plan.capacity_bytes, 1)
            message = (
                f"a stage would take at least {takes} GB, but {self.sections['cluster']['gpu']} has "
                f"{has} GB; split more, shard more, or recompute"
            )
            values = {"needed_bytes": needed, "capacity_bytes": plan.capacity_bytes}
            raise Invalid("layout", "does_not_fit", values, message)
        timed = step_time(plan, self.speed, whole=False)
        check_exact(plan, timed)
        _check_drawn(plan)
        quick = speeds(plan, timed, self.flops, self.speed)
        return {
            "plan": plan.fields,
            "worst_stage_bytes": needed,
            "fits": fits(plan, needed),
            "step_s": quick["step_s"],
            "tokens_per_s_per_gpu": quick["tokens_per_s_per_gpu"],
            "mfu": quick["mfu"],
            "on_front": False,
        }

    def _training(self, candidate: dict) -> Training:
        fields = {name: candidate[name] for name in SEARCHED}
        sections = {
            **self.sections,
            "layout": {**self.sections["layout"], **fields},
            "batch": {**self.sections["batch"], "micro_batch": candidate["micro_batch"]},
            "schedule": {**self.sections["schedule"]},
        }
        return Training.from_sections(self.model, sections, {**self.given, "layout": fields}, self.memo)

    def _plan(self, candidate: dict) -> dict:
        """The candidate as a plan of its own, which ``memory`` and ``step`` refuse or find too large."""
        fields = {name: candidate[name] for name in SEARCHED}
        batch = {**self.sections["batch"], "micro_batch": candidate["micro_batch"]}
        return {**self.given, "layout": {**self.given.get("layout", {}), **fields}, "batch": batch}


def mark_front(ranked: list[dict]) -> None:
    """Marks the plans that no other beats: none is as quick and smaller, or as small and quicker.

    ``ranked``: by time, then by memory.
    """
    least = quickest = None
    for plan in ranked:
        amount, time = plan["worst_stage_bytes"], plan["step_s"]
        plan["on_front"] = least is None or amount < least or (amount == least and time == quickest)
        if least is None or amount < least:
            least, quickest = amount, time


def _open(given: dict, model: Model, sections: dict) -> Open:
    layout, batch, schedule = (given.get(name, {}) for name in ("layout", "batch", "schedule"))
    stages = sections["layout"]["stage_layers"]
    return Open(
        shape=model.architecture,
        gpus=sections["cluster"]["gpus"],
        global_batch=sections["batch"]["global_batch"],
        preset=sections["recipe"]["preset"],
        kind=sections["schedule"]["kind"] if "kind" in schedule else None,
        stage_layers=None if stages is None else tuple(stages),
        etp=sections["layout"]["etp"],
        micro_batch=sections["batch"]["micro_batch"] if "micro_batch" in batch else None,
        **{name: sections["layout"][name] if name in layout else None for name in SEARCHED},
    )


def _check_drawn(plan: Training) -> None:
    """Raises ``Invalid``, as the report of ``step`` does, for a schedule that is too large to draw."""
    shape = schedule_shape(plan)
    if shape.chunks * shape.micro_batches > MOST_CHUNKS:
        with plan_words():
            quick_summary(shape, plan_times(plan.fields["schedule"], plan.layout.vpp).chunk)
