"""Where the peak of a step is, by category and phase, where memory runs out, and how fast one card is by itself.

``what`` of a case: "step", "border" (the largest micro-batch that fits), or "speed" (one card that trains all alone: its
time is no cluster's, as nothing is sent).
"""

from typing import Any

from ..case import Case, case
from ..check import Check
from ..place import Place
from ..planned import PEAK_TOLERANCE, memory_checks, modelled, peak_check

STRATEGIES = ("ddp", "ddp-copy", "zero-1", "fsdp2-kept", "fsdp2")
STEPS = 2  # the first makes what stays
SAMPLES = 10  # steps of which a time is told
# What a CUDA allocator holds beyond what tensors have is the hardest to say: the band of the model's own evidence.
RESERVED_TOLERANCE = 0.07
SMALL = {"size": "tiny", "precision": "fp32", "seq": 64, "micro_batch": 8, "recompute": False}
REAL = {"precision": "bf16-master", "seq": 1024, "micro_batch": 1, "recompute": True}
# On a processor the border is one that is set: between 4 and 8 sequences of the tiny network.
PROCESSOR_LIMIT = 60 * 10**6
ONE_CARD = (("fsdp2", 64), ("fsdp2", 8), ("fsdp2-kept", 64), ("zero-1", 64), ("zero-1", 8), ("fsdp2", 1), ("ddp", 64))


def cases(suite: str, world: int, device: str) -> list[Case]:
    """Real ranks in "ci" and "gpu"; one rank of any number on one card, or in small on a processor, in "one-gpu"."""
    cuda = device == "cuda"
    if suite in ("ci", "gpu"):
        setting = {"size": "1.3b", **REAL} if cuda else SMALL
        return [_one(device, world, "real", "step", strategy, seconds=3, **setting) for strategy in STRATEGIES]
    if suite != "one-gpu":
        return []
    if not cuda:
        steps = [_one(device, 8, "fake", "step", strategy, seconds=6, **SMALL) for strategy in STRATEGIES]
        limit = {"limit_bytes": PROCESSOR_LIMIT, "seconds": 40}
        return [
            _one(device, 1, "real", "speed", "ddp", seconds=6, **SMALL),
            *steps,
            _one(device, 8, "fake", "border", "fsdp2", **SMALL, **limit),
        ]
    small = {"size": "1.3b", **REAL}
    return [
        *(_one(device, 8, "fake", "step", strategy, seconds=15, **small) for strategy in STRATEGIES),
        _one(device, 1, "real", "speed", "ddp", seconds=20, **small),
        *(_one(device, ranks, "fake", "step", name, seconds=60, size="7.7b", **REAL) for name, ranks in ONE_CARD),
        _one(device, 8, "fake", "border", "fsdp2", seconds=300, limit_bytes=0, **small),
    ]


def _one(device: str, world: int, transport: str, what: str, strategy: str, **options: Any) -> Case:
    asked = {**options, "strategy": strategy, "world": world}
    # A card has to hold what the model says, and its context; a processor's program is larger than a tiny network.
    ram = modelled(asked)["nvidia_smi"] if device == "cuda" else 10**9
    return case("peaks", world, transport=transport, device=device, ram=ram, what=what, strategy=strategy, **options)


def run(case: Case, place: Place) -> dict[str, Any] | None:
    """Measure one rank of the case; all ranks take part where they are real."""
    asked = case.asked
    if asked["what"] == "border":
        from ..border import found

        return found(asked)
    from ..fake import fake_rank, real_rank

    one = fake_rank(asked, place.device, bytes_too=True) if place.backend == "fake" else real_rank(asked, place.device)
    with one as rank:
        result = _speed(rank, asked, place) if asked["what"] == "speed" else _step(rank, place)
        return {"parameters": rank.parameters, **result} if place.rank == 0 else None


def _step(rank: Any, place: Place) -> dict[str, Any]:
    from ..tracked import tracked_step

    if place.device.type != "cuda":
        return tracked_step(rank, steps=STEPS)
    from ..counted import counted_step

    # First by itself, then with the tracker around it, which says what the bytes are.
    counters = counted_step(rank, place.device, steps=STEPS)
    return {**tracked_step(rank, steps=STEPS), "counters": counters}


def _speed(rank: Any, asked: dict[str, Any], place: Place) -> dict[str, Any]:
    import torch

    from model.flops import flops_per_token

    from ..cards import card_of
    from ..clock import seconds_of, spread
    from ..planned import architecture_of, peak_flops

    def step() -> None:
        for _, act in rank.phases():
            act()

    seconds_of(step, place.device, STEPS)
    seconds = spread(seconds_of(step, place.device, SAMPLES))
    tokens = asked["micro_batch"] * asked["seq"]
    rate = float(flops_per_token(architecture_of(asked), asked["seq"]).model()) * tokens / seconds["p50"]
    card = card_of(torch.cuda.get_device_name(place.device)) if place.device.type == "cuda" else None
    peak = peak_flops(card, asked["precision"]) if card else None
    result = {"one_card_alone_step_s": seconds, "one_card_alone_flops_per_s": rate}
    return {**result, "one_card_alone_mfu": rate / peak} if peak else result


def checks(record: dict[str, Any]) -> list[Check]:
    """States to the byte, peaks, and the limit between the model's peaks on either side of the border."""
    asked, result = record["case"], record["result"]
    if asked["what"] == "border":
        return [_border(asked, result)]
    if asked["what"] == "speed":
        return memory_checks(asked, result, states=False, peak=False)
    found = memory_checks(asked, result)
    if counters := result.get("counters"):
        stage, largest = modelled(asked), counters["peak"]
        found += [
            peak_check("peak allocated", largest["allocated_bytes"], stage["allocated_peak"]),
            peak_check("peak reserved", largest["reserved_bytes"], stage["reserved_peak"], RESERVED_TOLERANCE),
        ]
    return found


def _border(asked: dict[str, Any], result: dict[str, Any]) -> Check:
    cuda, largest, limit = asked["device"] == "cuda", result["largest_micro_batch"], result["limit_bytes"]
    field = "reserved_peak" if cuda else "allocated_peak"
    low, high = (modelled({**asked, "micro_batch": most})[field] if most else 0 for most in (largest, largest + 1))
    return peak_check(
        f"limit that {largest} sequences fit into and one more do not",
        limit,
        min(max(limit, low), high),
        RESERVED_TOLERANCE if cuda else PEAK_TOLERANCE,
    )
