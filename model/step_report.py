"""The report of ``step``: the time of a step, what it makes of the cards, and what crosses the links."""

import math
from fractions import Fraction

from .catalog import gpu_named
from .closed_forms import quick_summary
from .counted import Counted
from .errors import Invalid
from .flops import Flops, flops_per_token
from .host import host_of, stall_s
from .kernels import HBM_FRAC, IMPLEMENTATIONS, sustained_frac
from .layer_time import recomputed
from .megatron import SECONDS_PER_DAY
from .placement import Chunk
from .plan import read_plan
from .speeds import Speed, speed_of
from .step import StepTime, plan_times, plan_words, schedule_shape, step_time
from .traffic import KINDS
from .training import Training
from .units import NS_PER_S, TFLOP

DIGITS = 12  # of a float in the answer, so that every engine prints the same
SECONDS_PER_HOUR = 3600
MOST = 2**53  # JSON integers are exact up to there (RFC 8259, section 6)
ASSUMED = (
    "ranks are numbered tp, cp, dp, pp, the first fastest",
    "links run at NVIDIA's published all-reduce bus bandwidth",
    "tensor-parallel messages are hidden by megatron-te with sequence parallelism alone, expert-parallel ones never",
    "attention is causal, and a flash kernel skips what the mask hides, whatever the FLOPs convention",
)
NOT_MODELLED = (
    "data loading, logging, checkpoints and failures",
    "collectives slowing the computation that hides them",
    "messages of the embedding and of the loss between tensor-parallel ranks",
    "other traffic on the network",
)


def step_report(given: object) -> dict:
    """What ``step`` prints. Raises ``Invalid`` with the path of the first wrong field.

    ``mfu``                 model FLOPs over the dense peak of the plan's format; ``hfu`` counts recomputed ones too
    ``bubble_of_total``     the schedule's own, with equal stages and the plan's times: (p − 1)/(m + p − 1) for 1F1B
    ``bubble_over_ideal``   the same over the ideal time: (p − 1)/m
    ``idle_of_total``       of the stages as timed: uneven ones, and messages between them, too
    ``stages``              for each a micro-batch's seconds; ``stall_s`` of them pass for no known cause, mostly 0
    ``communication``       by kind: bytes that the busiest rank sends in a step, their time, and what is not hidden
    """
    plan = read_plan(given)
    if isinstance(plan, Counted):
        message = "a number of parameters has no layers to time; name a model, or give its config.json"
        raise Invalid("model", "not_supported", {"model": plan.fields["model"]}, message)
    speed = speed_of(gpu_named(plan.fields["cluster"]["gpu"]), plan.compute)
    timed = step_time(plan, speed)
    check_exact(plan, timed)
    flops = flops_per_token(plan.shape, plan.seq, plan.fields["flops"]["attention"])
    return {
        "plan": plan.fields,
        **speeds(plan, timed, flops, speed),
        **_bubbles(plan, timed),
        "communication": {kind: _kind(plan, timed, kind) for kind in KINDS},
        "optimizer_s": _round(timed.optimizer_s),
        "stages": [_stage(plan, timed, rank) for rank in range(plan.layout.pp)],
        "messages": [_message(plan, message) for message in _busiest(plan, timed)],
        "rates": _rates(plan, speed),
        "assumed": [*ASSUMED, *_assumed_of_selective(plan), *_assumed_of_host(plan)],
        "not_modelled": list(NOT_MODELLED),
        "ignored": list(plan.ignored),
        "defaulted": plan.defaulted,
        "notes": schedule_shape(plan).notes(),
    }


def check_exact(plan: Training, timed: StepTime) -> None:
    """Raises ``Invalid`` for a step of more tokens or bytes than JSON counts exactly."""
    m = plan.micro_batches
    different = {id(own): own for own in timed.messages}.values()  # most ranks send the same
    sent = (sum(one.size_bytes * max(1, one.count(m)) for one in own) for own in different)
    most = max(plan.fields["batch"]["global_batch"] * plan.seq, *sent)
    if most > MOST:
        message = f"a step would send or read {most:.3g} bytes or tokens; at most {MOST} are counted exactly"
        raise Invalid("batch.global_batch", "out_of_range", {"value": f"{most:.3g}", "most": MOST}, message)


def _rates(plan: Training, speed: Speed) -> dict:
    """The constants behind the times: shares of the card's peaks, and what the host takes, with their sources."""
    own, host = IMPLEMENTATIONS[plan.implementation], host_of(plan)
    return {
        "matmul_of_peak": _round(speed.matmul_frac),
        "sustained_of_best": sustained_frac(speed),
        "memory_of_peak": HBM_FRAC,
        "implementation": plan.implementation,
        "implementation_source": own.source,
        "host_us_per_layer": host.layer_us,
        "host_source": host.source,
    }


def _assumed_of_selective(plan: Training) -> list[str]:
    if plan.recompute != "selective" or plan.attention == "flash":
        return []
    return [
        "HFU counts selective recomputation as Korthikanti et al. 2022 do, at three times the forward that is repeated"
    ]


def _assumed_of_host(plan: Training) -> list[str]:
    host, stall = host_of(plan), stall_s(plan)
    if not host.crossing_us:
        return []
    found = [f"{plan.implementation} waits for its host and network as it was measured ({host.source})"]
    if stall:
        found.append(
            f"from {host.stall_gpus} GPUs on, each micro-batch stalls for {host.stall_s:g} s a pipeline neighbour, "
            f"{stall:g} s on each stage here: measured on one cluster, in that benchmark alone, for no known cause"
        )
    return found


def speeds(plan: Training, timed: StepTime, flops: Flops, speed: Speed) -> dict:
    """The part of the report that says how quick a step is."""
    batch, gpus = plan.fields["batch"], plan.fields["cluster"]["gpus"]
    tokens = batch["global_batch"] * plan.seq
    per_gpu = tokens / timed.step_s / gpus
    model = float(flops.model(plan.recipe.trainable))
    again = float(flops.recomputed(plan.recompute, _recomputed_share(plan), fused=plan.attention == "flash"))
    peak = speed.peak_flops(plan.compute) or 1.0
    total = batch["total_tokens"]
    seconds = None if total is None else total / tokens * timed.step_s
    return {
        "step_s": _round(timed.step_s),
        "tokens_per_step": tokens,
        "tokens_per_s_per_gpu": _round(per_gpu),
        "model_flops_per_token": _round(model),
        "hardware_flops_per_token": _round(model + again),
        "model_tflops_per_gpu": _round(model * per_gpu / TFLOP),
        "peak_tflops": _round(peak / TFLOP),
        "mfu": _round(model * per_gpu / peak),
        "hfu": _round((model + again) * per_gpu / peak),
        "days": None if seconds is None else _round(seconds / SECONDS_PER_DAY),
        "gpu_hours": None if seconds is None else _round(seconds * gpus / SECONDS_PER_HOUR),
    }


def _recomputed_share(plan: Training) -> Fraction:
    if plan.recompute_layers is None:
        return Fraction(1)
    count = sum(recomputed(plan, layer, chunk) for rank in plan.ranks for chunk in rank for layer in chunk.layers)
    return Fraction(count, plan.shape.num_hidden_layers)


def _bubbles(plan: Training, timed: StepTime) -> dict:
    with plan_words():
        own = quick_summary(schedule_shape(plan), plan_times(plan.fields["schedule"], plan.layout.vpp).chunk)
    return {
        "bubble_of_total": _round(float(own.bubble_of_total)),
        "bubble_over_ideal": _round(float(own.bubble_over_ideal)),
        "idle_of_total": _round(timed.pipeline.idle_of_total),
    }


def _busiest(plan: Training, timed: StepTime) -> tuple:
    m = plan.micro_batches
    return max(timed.messages, key=lambda sent: sum(one.sent_bytes * one.count(m) for one in sent))


def _kind(plan: Training, timed: StepTime, kind: str) -> dict:
    """One kind's line. A pipeline may wait for more messages, one after the other, than any of its ranks sends."""
    m = plan.micro_batches
    ranks = [[one for one in sent if one.kind == kind] for sent in timed.messages]
    sent_s = max(math.fsum(one.time_s * one.count(m) for one in sent) for sent in ranks)
    return {
        "bytes": max(sum(one.sent_bytes * one.count(m) for one in sent) for sent in ranks),
        "s": _round(max(sent_s, timed.exposed[kind])),
        "exposed_s": _round(timed.exposed[kind]),
    }


def _message(plan: Training, message: object) -> dict:
    return {
        "kind": message.kind,
        "what": message.what,
        "op": message.op,
        "size_bytes": message.size_bytes,
        "ranks": message.ranks,
        "nodes": message.nodes,
        "sent_bytes": message.sent_bytes,
        "count": message.count(plan.micro_batches),
        "each_s": _round(message.time_s),
    }


def _stage(plan: Training, timed: StepTime, rank: int) -> dict:
    chunks: tuple[Chunk, ...] = plan.ranks[rank]
    costs = [timed.stages[chunk.stage].cost for chunk in chunks]
    return {
        "stage": rank,
        "layers": sum(len(chunk.layers) for chunk in chunks),
        "forward_s": _round(sum(cost.forward for cost in costs) / NS_PER_S),
        "backward_s": _round(sum(cost.input_gradient + cost.weight_gradient for cost in costs) / NS_PER_S),
        "stall_s": stall_s(plan),
    }


def _round(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
