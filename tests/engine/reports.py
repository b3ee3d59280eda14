"""Commands that every Python must print alike: plans of every kind, schedules with awkward times, collectives."""

import json

from model.models import MODELS
from model.schedules import KINDS
from tests.model.random_plans import legal_plan

SCHEDULES = ("--stages 4 --micro-batches 8", "--stages 3 --micro-batches 12 --forward 0.1 --backward 0.7 --weight 0.3")
COLLECTIVES = (
    "all-reduce --bytes 1e9 --ranks 8 --link nvlink4",
    "all-reduce --bytes 12345678901 --ranks 8 --link nvlink4 --algorithm nvls",
    "all-reduce --bytes 1e6 --ranks 48 --link nvlink3 --ranks-per-node 8 --inter-link ib-200 --algorithm tree",
    "reduce-scatter --bytes 333 --ranks 7 --link 0.3:0.7",
    "all-to-all --bytes 1e9 --ranks 64 --link nvlink5 --ranks-per-node 8 --inter-link eth-100",
)
SEARCH = {
    "model": "mixtral-8x7b-v0.1",
    "cluster": {"gpu": "h100-sxm-80gb", "gpus": 16},
    "layout": {"cp": 1, "zero": 1, "vpp": 1},
    "recipe": {"preset": "megatron", "step": "fused"},
    "batch": {"seq": 4096, "global_batch": 64, "micro_batch": 1},
    "activation": {"implementation": "megatron-te"},
}


def timed_plan(seed: int) -> dict:
    """A legal plan that ``step`` answers too."""
    given = legal_plan(seed)
    given["recipe"] |= {"offload": "none", "compute": "bf16"}
    given["cluster"]["gpu"] = ("h100-sxm-80gb", "a100-sxm-40gb", "mi300x-192gb")[seed % 3]
    return given


def reports() -> list[list[str]]:
    """Every call as [command, standard input, locale]."""
    calls = [("params", name) for name in list(MODELS)[::9]]
    calls += [("schedule", f"--kind {kind} {flags}") for kind in KINDS for flags in SCHEDULES]
    calls += [("collective", flags) for flags in COLLECTIVES]
    asked = [[f"python -m model {command} {flags} --json", "", "en"] for command, flags in calls]
    for command, seeds in (("memory -", range(40)), ("step -", range(40)), ("solve - --for seq", range(4))):
        asked += [[f"python -m model {command} --json", json.dumps(timed_plan(seed)), "en"] for seed in seeds]
    asked.append(["python -m model search - --json", json.dumps(SEARCH), "en"])
    return asked
