"""Training speed over NCCL under DDP and FSDP2: tokens/s and MFU, and how much of the communication is hidden.

Scaling against N comes of the records of several numbers of ranks; each also says what its ranks would reach alone, as the
same passes are timed once more with nothing sent.
"""

from typing import Any

from model.flops import flops_per_token
from model.plan import read_plan
from model.speeds import SPEEDS
from model.step_report import step_report

from ..cards import card_of
from ..case import Case, case
from ..check import Check
from ..place import Place
from ..sizes import SIZES

PRESETS = {"ddp": ("ddp-amp", 0), "fsdp2": ("fsdp2", 3)}  # the model's recipe and ZeRO stage of a strategy
SIZE, SEQUENCES = "1.3b", 4  # of each rank: about 35 GB under DDP, so that 40 GB are enough
WARM_UP, SAMPLES = {"cuda": 5, "cpu": 1}, {"cuda": 20, "cpu": 3}  # steps; on a processor they are a rehearsal
BUCKET_BYTES = 25 * 2**20  # of DDP's gradients: bucket_cap_mb (torch.nn.parallel.DistributedDataParallel)
# 9 of 10 published speeds of trained models are within this of the model's (tests/model/evidence/speed.py).
SPEED_TOLERANCE = 0.3


def cases(suite: str, world: int, device: str) -> list[Case]:
    """Both strategies on real GPUs; on a processor nothing, as its speed tells nothing of training."""
    if suite != "gpu" or device != "cuda" or world < 2:
        return []
    return [
        case(
            "throughput",
            world,
            device=device,
            seconds=60,
            ram=38 * 10**9,
            strategy=strategy,
            size=SIZE,
            sequences=SEQUENCES,
        )
        for strategy in PRESETS
    ]


def run(case: Case, place: Place) -> dict[str, Any] | None:
    """Times a step, its two passes, the passes with nothing sent, and what they send with nothing else to do.

    ``step_s``           forward, backward and update
    ``passes_s``         forward and backward with their communication
    ``compute_s``        the same with nothing sent: ``no_sync``, or weights that stay gathered and gradients that stay
    ``communication_s``  the same messages on an idle GPU
    ``mfu``              of the dense bf16 peak, every attention score counted; None for a card without a known one
    """
    from ..clock import seconds_of, spread
    from ..training import Training

    asked = case.asked
    training = Training(asked["strategy"], asked["size"], asked["sequences"], place)

    def timed(work: Any) -> dict[str, float]:
        seconds_of(work, place.device, WARM_UP[place.device.type])
        return spread(seconds_of(work, place.device, SAMPLES[place.device.type]))

    step, passes = timed(training.step), timed(training.passes)
    training.stay_alone()
    compute = timed(training.passes)
    communication = timed(_messages(asked["strategy"], training.units, place))
    if place.rank:
        return None
    tokens = place.world * asked["sequences"] * SIZES[asked["size"]].positions / step["p50"]
    return {
        "parameters": sum(training.units),
        "step_s": step,
        "passes_s": passes,
        "compute_s": compute,
        "communication_s": communication,
        "tokens_per_s": tokens,
        "mfu": _mfu(asked, tokens, place),
    }


def traffic(strategy: str, units: list[int], world: int) -> list[tuple[str, int]]:
    """Operation and bytes of each message of a step; ``units``: parameters of what FSDP2 moves at once, the root first.

    DDP reduces fp32 gradients in buckets. FSDP2 gathers bf16 weights for the forward and all but the root's for the backward
    again, and reduces gradients in fp32. Rounded up so that ranks have equal parts of whole 4-byte numbers.
    """
    if strategy == "ddp":
        whole, rest = divmod(4 * sum(units), BUCKET_BYTES)
        sent = [("all-reduce", size) for size in [BUCKET_BYTES] * whole + [rest] * bool(rest)]
    else:
        sent = [("all-gather", 2 * unit) for unit in units + units[1:]]
        sent += [("reduce-scatter", 4 * unit) for unit in units]
    even = 4 * world
    return [(op, -(-size // even) * even) for op, size in sent]


def _messages(strategy: str, units: list[int], place: Place) -> Any:
    """What sends all messages of a step; those of one kind and size share their buffers."""
    import torch.distributed as dist

    from ..exchange import exchange

    sent = traffic(strategy, units, place.world)
    works = {each: exchange(*each, place, dist.group.WORLD) for each in dict.fromkeys(sent)}

    def send_all() -> None:
        for each in sent:
            works[each]()

    return send_all


def plan_of(asked: dict[str, Any], card: str) -> dict[str, Any]:
    """The model's plan of the same training on a card of the catalogue."""
    preset, zero = PRESETS[asked["strategy"]]
    size = SIZES[asked["size"]]
    batch = {"micro_batch": asked["sequences"], "global_batch": asked["sequences"] * asked["world"]}
    return {
        "model": size.architecture(),
        "cluster": {"gpu": card, "gpus": asked["world"]},
        "layout": {"zero": zero},
        "recipe": {"preset": preset},
        "batch": {"seq": size.positions, **batch},
        "activation": {"implementation": "torch", "attention": "flash"},
    }


def _mfu(asked: dict[str, Any], tokens_per_s: float, place: Place) -> float | None:
    """Model FLOPs over the dense bf16 peak of all cards."""
    import torch

    card = card_of(torch.cuda.get_device_name(place.device)) if place.device.type == "cuda" else None
    peak = card and SPEEDS[card].peak_flops("bf16")
    if not card or not peak:
        return None
    shape = read_plan(plan_of(asked, card)).shape
    flops = flops_per_token(shape, SIZES[asked["size"]].positions).model()
    return float(flops) * tokens_per_s / (place.world * peak)


def exposed_s(result: dict[str, Any]) -> float:
    """Seconds of a step in which the GPUs only communicate."""
    return max(0.0, result["passes_s"]["p50"] - result["compute_s"]["p50"])


def overlap(result: dict[str, Any]) -> float:
    """The share of the communication that computation hides, from 0 to 1. What it slows the computation by counts as not."""
    return max(0.0, 1 - exposed_s(result) / result["communication_s"]["p50"])


def scaling(result: dict[str, Any]) -> float:
    """Speed as a share of what as many ranks would reach that send nothing."""
    return 1 - exposed_s(result) / result["step_s"]["p50"]


def checks(record: dict[str, Any]) -> list[Check]:
    """Over NCCL in one node of a known card: tokens/s and the share of time lost to communication beside the model's."""
    asked, result, source = record["case"], record["result"], record["provenance"]
    card = card_of(source["device"])
    if source["backend"] != "nccl" or source["nodes"] > 1 or not card:
        return []
    modelled = step_report(plan_of(asked, card))
    exposed = sum(modelled["communication"][kind]["exposed_s"] for kind in ("dp", "zero"))
    return [
        Check(
            what="tokens per second and GPU",
            measured=result["tokens_per_s"] / asked["world"],
            modelled=modelled["tokens_per_s_per_gpu"],
            unit="tokens/s",
            tolerance=SPEED_TOLERANCE,
        ),
        Check(
            what="scaling: speed over that of ranks that send nothing",
            measured=scaling(result),
            modelled=1 - exposed / modelled["step_s"],
            unit="of the speed",
            tolerance=0.1,
            relative=False,
        ),
    ]
