"""A plan that knows its model as a number of parameters alone: states against capacity, and nothing else."""

from dataclasses import dataclass

from .catalog import gpu_named
from .errors import Invalid, shown
from .layout import Layout
from .memory import PARTS, StageLedger, states
from .offload import offload_notes
from .recipe import Recipe
from .schema import SECTIONS, understood

# The fields that a bare parameter count answers to; everything else needs the model's shape.
COUNTED = {
    "cluster": ("gpu", "gpus"),
    "recipe": (
        "preset",
        "optimizer",
        "trainable",
        "offload",
        "weight_bytes",
        "gradient_bytes",
        "master_bytes",
        "moment_bytes",
        "bucket_view",
    ),
    "layout": ("dp", "tp", "pp", "cp", "zero", "stage_layers"),
}
NOT_MODELLED = (
    "activations",
    "logits",
    "transient",
    "overhead.allocator",
    "overhead.context",
    "overhead.communicators",
    "reserved_peak",
    "nvidia_smi",
    "ranks",
    "peak_instant",
    "at_peak",
)
# JSON integers are exact up to 2**53 (RFC 8259, section 6), and a parameter costs at most a few times 64 bytes.
MOST_PARAMETERS = 2**53 // 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A training run as asked about: how many parameters, on which cards, split and stored how."""

    parameters: int
    capacity_bytes: int
    layout: Layout
    recipe: Recipe
    fields: dict  # the plan as understood, every default filled in
    uncounted: tuple[str, ...]  # fields that were given but that a bare parameter count cannot answer to

    @classmethod
    def from_sections(cls, parameters: int, sections: dict, given: dict) -> "Counted":
        """Reads the sections of a plan, which was ``given``. Raises ``Invalid``."""
        cluster, recipe_fields = sections["cluster"], sections["recipe"]
        layout = Layout.from_plan(sections["layout"], gpus=cluster["gpus"], preset=recipe_fields["preset"])
        recipe = Recipe.from_plan(recipe_fields)
        return cls(
            parameters=parameters,
            capacity_bytes=gpu_named(cluster["gpu"]).capacity_bytes,
            layout=layout,
            recipe=recipe,
            fields={"model": {"params": parameters}, **understood(sections, layout, recipe)},
            uncounted=_uncounted(given, layout),
        )


def _uncounted(given: dict, layout: Layout) -> tuple[str, ...]:
    # Virtual stages change a bare count only by how they deal out the layers.
    counts = {**COUNTED, "layout": COUNTED["layout"] + (("vpp",) if layout.stage_layers else ())}
    return tuple(f"{name}.{key}" for name in SECTIONS for key in given.get(name, {}) if key not in counts.get(name, ()))


def counted_report(plan: Counted) -> dict:
    """The report of ``memory`` for a bare parameter count.

    Totals are of the states alone (``basis``); what a bare parameter count cannot say is null, and named in
    ``not_modelled``.
    """
    recipe = plan.fields["recipe"]
    stages = states(
        plan.parameters, plan.recipe, plan.layout, offload=recipe["offload"], bucket_view=recipe["bucket_view"]
    )
    worst = max(stages, key=lambda ledger: ledger.total_bytes)
    return {
        "plan": plan.fields,
        "stages": [_stage_report(ledger) for ledger in stages],
        "worst_stage": worst.stage,
        "capacity_bytes": plan.capacity_bytes,
        "capacity_from": gpu_named(plan.fields["cluster"]["gpu"]).capacity_from,
        "fits": "yes" if worst.total_bytes <= plan.capacity_bytes else "no",
        "tight_band_bytes": None,
        "tight_band_from": None,
        "basis": "states only",
        "not_modelled": [*NOT_MODELLED, "tight_band_bytes", "tight_band_from"],
        "not_counted": list(plan.uncounted),
        "notes": offload_notes(plan.recipe, plan.layout.zero, recipe["offload"]),
    }


def _stage_report(ledger: StageLedger) -> dict:
    unknown = dict.fromkeys(name for name in NOT_MODELLED if "." not in name)
    return {
        "stage": ledger.stage,
        "layers": ledger.layers,
        "parameters": ledger.parameters,
        "states": {part: ledger.bytes_of(part) for part in PARTS},
        **unknown,
        "overhead": {"allocator": None, "context": None, "communicators": None},
        "allocated_peak": ledger.total_bytes,
        "resting": ledger.total_bytes - ledger.freed_bytes,
        "entries": [entry.as_dict() for entry in ledger.entries],
    }


def parameter_count(model: dict) -> int:
    """The parameter count of ``{"params": N}``: a whole number small enough that bytes stay exact in JSON.

    Raises ``Invalid``.
    """
    if set(model) != {"params"}:
        message = 'give the number of parameters alone, as in {"params": 7.5e9}'
        raise Invalid("model", "not_supported", {"value": shown(model)}, message)
    count = model["params"]
    if isinstance(count, bool) or not isinstance(count, int | float) or count != count:
        raise Invalid("model.params", "wrong_type", {"value": shown(count)}, f"it must be a number, not {shown(count)}")
    if not 1 <= count <= MOST_PARAMETERS:
        limits = {"value": shown(count), "least": 1, "most": MOST_PARAMETERS}
        message = f"it must be from 1 to {MOST_PARAMETERS}; it is {shown(count)}"
        raise Invalid("model.params", "out_of_range", limits, message)
    if count != int(count):
        raise Invalid("model.params", "wrong_type", {"value": count}, f"it must be a whole number, not {count}")
    return int(count)
