"""The memory ledger: what each pipeline stage keeps on its largest rank, entry by entry.

Every entry says what it is, how many bytes, and by which formula, in symbols and in numbers;
every total is the sum of its entries.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from .layout import Layout
from .offload import in_host_memory
from .recipe import Recipe

PARTS = ("weights", "gradients", "optimizer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the ledger. ``formula`` is in symbols, ``numbers`` is the same line with the plan's numbers."""

    what: str
    amount_bytes: int
    formula: str
    numbers: str
    source: str

    def as_dict(self) -> dict:
        """The entry as JSON carries it."""
        return {
            "what": self.what,
            "bytes": self.amount_bytes,
            "formula": self.formula,
            "numbers": self.numbers,
            "source": self.source,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StageLedger:
    """What the largest rank of one pipeline stage keeps, whatever the batch."""

    stage: int
    layers: int | None
    parameters: int  # of this rank, rounded up
    entries: tuple[Entry, ...]
    freed_bytes: int  # held at the peak, given back between steps

    def bytes_of(self, what: str) -> int:
        """Bytes of one part; 0 if the stage has none."""
        return sum(entry.amount_bytes for entry in self.entries if entry.what == what)

    @property
    def total_bytes(self) -> int:
        """All entries together."""
        return sum(entry.amount_bytes for entry in self.entries)


def states(
    parameters: int, recipe: Recipe, layout: Layout, *, offload: str = "none", bucket_view: bool = True
) -> tuple[StageLedger, ...]:
    """The ledger of model states for every pipeline stage.

    ``parameters``: of the whole model. Bytes are those of the largest rank, rounded up.
    ``offload``: what rests in host memory, and so is not here: see ``offload.in_host_memory``.
    ``bucket_view``: whether DDP's gradients are views of its buckets; if not, the buckets are a copy of them.
    Source: Rajbhandari et al. 2020, ZeRO, section 5 (arXiv:1910.02054); a tensor- or pipeline-parallel rank holds
    its share of the weights and everything that hangs on them (Narayanan et al. 2021, arXiv:2104.04473, section 2).
    """
    away = in_host_memory(recipe, layout.zero, offload)
    parts = [part for part in PARTS if part not in away]
    # PyTorch, DistributedDataParallel: gradient_as_bucket_view.
    if not bucket_view and recipe.preset == "ddp-amp":
        parts.append("gradients")
    return tuple(_stage_ledger(stage, parts, parameters, recipe, layout) for stage in range(layout.pp))


def _stage_ledger(stage: int, parts: list[str], parameters: int, recipe: Recipe, layout: Layout) -> StageLedger:
    share = parameters * layout.stage_share(stage) / layout.tp
    entries = tuple(_entry(part, share, recipe, layout) for part in parts)
    return StageLedger(
        stage=stage,
        layers=layout.layers_of(stage),
        parameters=math.ceil(share),
        entries=entries,
        freed_bytes=math.ceil(share * recipe.trainable * recipe.freed_bytes(layout.zero)),
    )


def _entry(part: str, share: Fraction, recipe: Recipe, layout: Layout) -> Entry:
    each = {"weights": recipe.weight_bytes, "gradients": recipe.gradient_bytes, "optimizer": recipe.optimizer_bytes}[
        part
    ]
    trained = Fraction(1) if part == "weights" else recipe.trainable
    sharded = recipe.shards(part, layout.zero)
    ranks = layout.replicas if sharded else 1
    symbols = f"P_rank · {each}" + ("" if trained == 1 else " · trainable") + (" / (dp · cp)" if sharded else "")
    numbers = (
        f"{math.ceil(share)} · {each}"
        + ("" if trained == 1 else f" · {float(trained)}")
        + (f" / {ranks}" if sharded else "")
    )
    return Entry(
        what=part,
        amount_bytes=math.ceil(share * trained * each / ranks),
        formula=symbols,
        numbers=numbers,
        source="Rajbhandari et al. 2020, ZeRO, section 5 (arXiv:1910.02054)",
    )
