"""Lines of the tables for people that several commands print: what was asked, what was left out, and what to change."""

import json

from .models import described_model
from .training import own_context

ADVICE = {
    "batch.seq": "shorten batch.seq",
    "activation.recompute": 'recompute more (activation.recompute "full")',
    "batch.micro_batch": "make batch.micro_batch smaller",
}


def asked(plan: dict) -> list[str]:
    """How long a sequence and how large a micro-batch were taken; none for a bare parameter count."""
    batch, model = plan["batch"], plan["model"]
    if isinstance(model, dict) and "params" in model:
        return []
    own = own_context(batch["seq"], described_model(model).architecture)
    return [f"{sequence(batch['seq'], own=own)}, {batch['micro_batch']} a micro-batch"]


def sequence(seq: int, *, own: bool) -> str:
    """How long a sequence was taken; ``own``: it is the model's own context, which a plan without ``seq`` takes."""
    return f"sequences of {seq:,} tokens" + (" (the model's own context; batch.seq is another)" if own else "")


def to_change(change: list[str]) -> str:
    """What takes memory off a plan that does not fit, of the fields in ``change``."""
    if not change:
        return (
            "to change: the states alone are too large, whatever the batch; shard or split more, or take larger cards"
        )
    return f"to change: {', or '.join(ADVICE[field] for field in change)}"


def about_model(report: dict) -> list[str]:
    """What was taken from the family's defaults, and what of the config was ignored: it does not change the shape."""
    lines = []
    if report.get("defaulted"):
        defaults = ", ".join(f"{name} {json.dumps(value)}" for name, value in report["defaulted"].items())
        lines.append(f"not in the config, so taken from the family's defaults: {defaults}")
    if report.get("ignored"):
        lines.append(f"ignored, since they do not change the shape: {', '.join(report['ignored'])}")
        if "quantization_config" in report["ignored"] and "plan" in report:
            each = report["plan"]["recipe"]["weight_bytes"]
            lines.append(f"not quantized: weights are counted at {each} bytes, as recipe.weight_bytes says")
    return lines


def kept_after_forward(plan: dict) -> list[str]:
    """What fsdp2's stage 2 means, which is its default."""
    if plan["recipe"]["preset"] != "fsdp2" or plan["layout"]["zero"] != 2:
        return []
    return ["zero 2: weights are kept after forward; zero 3 reshards them, as fully_shard does by default"]
