"""The report of ``memory`` for a model with a shape: every pipeline stage at its largest instant, against the card."""

from fractions import Fraction

from .catalog import gpu_named
from .errors import Invalid
from .in_flight import checked_shape
from .instants import Instant, RankMemory, rank_memory
from .layer_kept import layer_kept
from .memory import PARTS
from .offload import offload_notes
from .overhead import COMMUNICATOR_BYTES, CONTEXT_BYTES, communicators, reserved_peak
from .training import Training

# The 90th percentile of the error on measured runs, in whole per cent, rounded up, by implementation; the widest for
# one that was never measured. Of reserved memory: torchtitan, nanotron in the Ultra-Scale Playbook, SimuMax's runs of
# Megatron-LM. For Megatron's layers without Transformer Engine: BigScience's runs as nvidia-smi showed them, all of
# Megatron-DeepSpeed, which holds more besides. tests/model/test_evidence.py holds each to its source's score.
BAND = {
    "torch": Fraction(7, 100),
    "nanotron": Fraction(22, 100),
    "megatron-te": Fraction(4, 100),
    "megatron": Fraction(27, 100),
}
WIDEST = max(BAND.values())
# The preset that those runs ran (``tests/model/measured_runs.py``).
RAN = {"torch": "fsdp2", "nanotron": "nanotron", "megatron-te": "megatron", "megatron": "deepspeed"}
# BigScience's runs of DeepSpeed took more than the model says, at the median and in nine of ten.
TOO_LOW = {"deepspeed": "measured runs of deepspeed took more than is counted"}
MOST_BYTES = 2**53  # JSON integers are exact up to there (RFC 8259, section 6)


def training_report(plan: Training) -> dict:
    """What each pipeline stage keeps on its largest rank, against the card. Bytes are integers.

    ``fits`` compares what nvidia-smi shows with the card: tight where the error of measured runs (``tight_band_bytes``, of
    the runs that ``tight_band_from`` names) would decide. ``at_peak`` of a stage: what is there at its peak, the largest
    first. The columns count all gradients as if they were there, and take those that are still to come
    (``gradients_to_come``) off transient, logits and activations, in this order. ``notes`` say which framework refuses
    the schedule, and that gradients stay where states are offloaded. Raises ``Invalid`` for a schedule that is not legal.
    """
    stages = [_stage_report(plan, rank, rank_memory(plan, rank)) for rank in range(plan.layout.pp)]
    worst = max(range(len(stages)), key=lambda rank: stages[rank]["nvidia_smi"])
    needed, capacity = stages[worst]["nvidia_smi"], plan.capacity_bytes
    if needed > MOST_BYTES:
        message = (
            f"a card would hold {needed:.3g} bytes, more than JSON counts exactly; make seq or micro_batch smaller"
        )
        raise Invalid("batch.seq", "out_of_range", {"bytes": f"{needed:.3g}", "most": MOST_BYTES}, message)
    return {
        "plan": plan.fields,
        "stages": stages,
        "worst_stage": worst,
        "capacity_bytes": capacity,
        "capacity_from": gpu_named(plan.fields["cluster"]["gpu"]).capacity_from,
        "fits": fits(plan, needed),
        "tight_band_bytes": _band(plan, needed),
        "tight_band_from": _band_from(plan),
        "basis": "nvidia-smi at the largest instant of a step",
        "not_modelled": [],
        "not_counted": [],
        "layers": {kind: _layer_report(plan, moe) for kind, moe in _kinds(plan)},
        "symbols": _symbols(plan),
        "ignored": list(plan.ignored),
        "defaulted": plan.defaulted,
        "notes": checked_shape(plan.kind, plan.layout.pp, plan.micro_batches, plan.layout.vpp).notes()
        + offload_notes(plan.recipe, plan.layout.zero, plan.offload),
    }


def fits(plan: Training, needed_bytes: int) -> str:
    """yes, tight or no: what nvidia-smi would show against the card."""
    band = _band(plan, needed_bytes)
    if needed_bytes - band <= plan.capacity_bytes < needed_bytes + band:
        return "tight"
    return "yes" if needed_bytes <= plan.capacity_bytes else "no"


def shown_bytes(plan: Training, memory: RankMemory) -> int:
    """What nvidia-smi shows of a rank at its peak: the allocator's, the context, the communicators."""
    return reserved_peak(plan, memory) + CONTEXT_BYTES + communicators(plan) * COMMUNICATOR_BYTES


def _band(plan: Training, needed_bytes: int) -> int:
    share = BAND.get(plan.implementation, WIDEST)
    return needed_bytes * share.numerator // share.denominator


def _band_from(plan: Training) -> str:
    """Which measured runs the band is of, in words."""
    own, preset = plan.implementation, plan.recipe.preset
    if own not in BAND:
        words = f"the widest band of any implementation, for {own} has none of its own"
    elif RAN[own] == preset:
        words = f"nine in ten measured runs of preset {preset} with implementation {own} are within it"
    else:
        words = f"the band of the measured runs of implementation {own}, none of which ran preset {preset}"
    return f"{words}; {TOO_LOW[preset]}" if preset in TOO_LOW else words


def _stage_report(plan: Training, rank: int, memory: RankMemory) -> dict:
    peak = memory.peak
    groups, reserved = communicators(plan), reserved_peak(plan, memory)
    resting = memory.resting
    emptiest = resting - memory.states.spread_bytes
    return {
        "stage": rank,
        "layers": sum(len(chunk.layers) for chunk in plan.ranks[rank]),
        "parameters": memory.states.parameters,
        **_instant_report(peak),
        "resting": resting,
        "overhead": {
            "allocator": reserved - peak.allocated,
            "context": CONTEXT_BYTES,
            "communicators": groups * COMMUNICATOR_BYTES,
        },
        "allocated_peak": peak.allocated,
        "reserved_peak": reserved,
        "nvidia_smi": shown_bytes(plan, memory),
        "ranks": {"min": emptiest, "max": resting} if emptiest < resting else None,
        "peak_instant": peak.name,
        "at_peak": [{"what": what, "bytes": amount} for what, amount in peak.residents],
        "instants": [
            {
                "instant": instant.name,
                **_instant_report(instant),
                "gradients_to_come": instant.to_come,
                "allocated": instant.allocated,
            }
            for instant in _largest(memory.instants)
        ],
        "kept_by_micro_batch": [chunk.amount_bytes for chunk in memory.chunks],
        "in_flight": list(memory.in_flight),
        "entries": [entry.as_dict() for entry in memory.states.entries],
    }


def _largest(instants: tuple[Instant, ...]) -> list[Instant]:
    """The largest instant of each name, in the order of the step."""
    found: dict[str, Instant] = {}
    for instant in instants:
        if instant.name not in found or instant.allocated > found[instant.name].allocated:
            found[instant.name] = instant
    return list(found.values())


def _instant_report(instant: Instant) -> dict:
    return {
        "states": dict(zip(PARTS, instant.states, strict=True)),
        "activations": instant.activations,
        "logits": instant.logits,
        "transient": instant.transient,
    }


def _kinds(plan: Training) -> list[tuple[str, bool]]:
    have = {plan.shape.is_moe(layer) for layer in range(plan.shape.num_hidden_layers)}
    return [(name, moe) for name, moe in (("dense", False), ("experts", True)) if moe in have]


def _layer_report(plan: Training, moe: bool) -> dict:
    """What one layer keeps for one micro-batch, tensor by tensor."""
    layer = layer_kept(plan, moe=moe, recomputed=True)
    return {
        "bytes": layer.amount_bytes,
        "working": layer.working,
        "tensors": [
            {"what": tensor.name, "bytes": tensor.amount_bytes, "formula": tensor.formula} for tensor in layer.kept
        ],
    }


def _symbols(plan: Training) -> dict:
    """What the letters of the formulas stand for, so that a page can put numbers in. s·b is of one rank."""
    shape, layout = plan.shape, plan.layout
    return {
        "s·b": plan.tokens,
        "s": plan.seq,
        "b": plan.micro_batch,
        "m": plan.micro_batches,
        "h": shape.hidden_size,
        "f": shape.intermediate_size,
        "f_e": shape.moe_intermediate_size,
        "f_s": shape.shared_intermediate_size,
        "a": shape.num_attention_heads,
        "k": shape.num_key_value_heads,
        "d": shape.head_dim,
        "V": plan.vocabulary * layout.tp,
        "L": shape.num_hidden_layers,
        "E": shape.num_experts,
        "topk": shape.num_experts_per_tok,
        "tp": layout.tp,
        "pp": layout.pp,
        "cp": layout.cp,
        "dp": layout.dp,
        "etp": layout.etp,
        "sequence_cut": layout.sequence_cut,
    }
