"""The largest allocations that PyTorch's own counters give, and the model's."""

from functools import lru_cache

from model.instants import rank_memory
from model.plan import read_plan

from ..torch_models import LARGE, MEASURED, TINY, plan
from .score import Scored

STRATEGIES = {"ddp": ("ddp-amp", 0), "ddp_view": ("ddp-amp", 0), "zero1": ("ddp-amp", 1)}
STRATEGIES |= {"fsdp2_z2": ("fsdp2", 2), "fsdp2_z3": ("fsdp2", 3)}


def tracked():
    """Peaks of the tiny model on real ranks, as PyTorch's tracker of memory counts them."""
    for row in MEASURED["peaks"]["data_parallel"]:
        preset, zero = STRATEGIES[row["strategy"]]
        given = plan(
            TINY,
            2,
            preset=preset,
            layout={"zero": zero},
            recipe={"compute": "fp32", "step": "fused", "bucket_view": row["strategy"] != "ddp"},
            batch={"seq": 64, "micro_batch": 8},
        )
        peak = rank_memory(read_plan(given), 0).peak.allocated
        yield Scored(
            name=f"{row['strategy']} on 2 ranks", measured=row["memtracker_peak_total"], predicted=peak, row=row
        )


def faked():
    """Peaks at true size under PyTorch's fake process group.

    Left out: a run whose root was gathered twice, and one whose peak is an optimizer that reads its step counter.
    """
    for run in MEASURED["fake"]["runs"]:
        usual = run["size"] != "1.3b" and run["peak"].get("OptState", 0) < 6e7
        if run["strategy"] not in STRATEGIES or not (usual or run["size"] == "7.5b"):
            continue
        preset, zero = STRATEGIES[run["strategy"]]
        given = plan(
            TINY if run["size"] == "tiny" else LARGE,
            run["world"],
            preset=preset,
            precision=run["precision"],
            layout={"zero": zero},
            recipe={"compute": "fp32" if run["precision"] == "fp32" else "bf16", "step": "fused"},
            batch={"seq": run["seq"], "micro_batch": run["microbatch"]},
            activation={"recompute": "full" if run["ac"] else "none"},
        )
        peak = rank_memory(read_plan(given), 0).peak.allocated
        name = f"{run['strategy']} {run['precision']} {run['size']} on {run['world']} ranks"
        yield Scored(name=name, measured=run["peak"]["Total"], predicted=peak, row=run)


def pipelined():
    """What a step adds to each rank of a pipeline of four; schedules whose backward PyTorch does not split."""
    for row in MEASURED["peaks"]["pipeline"]:
        if row["schedule"] not in ("1F1B", "GPipe"):
            continue
        given = read_plan(
            plan(
                TINY,
                4,
                preset="ddp-amp",
                recipe={"compute": "fp32", "step": "fused"},
                layout={"pp": 4},
                batch={"seq": 64, "micro_batch": row["microbatch"], "global_batch": row["m"] * row["microbatch"]},
                schedule={"kind": row["schedule"].lower()},
            )
        )
        for rank, measured in enumerate(row["peak"]):
            instants = rank_memory(given, rank).instants
            most = max(instant.allocated - sum(instant.states) for instant in instants)
            name = f"{row['schedule']} m{row['m']} rank {rank}"
            yield Scored(name=name, measured=measured["peak_minus_start"], predicted=most, row=row)


@lru_cache
def torch_peaks():
    """Peaks that PyTorch's own counters give for plans, faked or in a pipeline."""
    return (*faked(), *pipelined())
