"""What a layer keeps for its backward pass, tensor by tensor, and what it needs besides while it runs.

tokens    of one micro-batch on one rank; norms and residuals see fewer where sequence parallelism cuts them
kept      from a layer's forward pass until its backward pass
working   at the largest moment of a layer's backward pass, beyond what is kept
"""

from collections.abc import Iterable
from dataclasses import dataclass

# Which recomputation gives a tensor up: the input of a layer is kept by all of them.
INPUT, CORE, MIXED, OTHER = "input", "core", "mixed", "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One tensor: its name, its bytes, the formula, and which part of the layer it belongs to."""

    name: str
    amount_bytes: int
    formula: str
    part: str = OTHER  # core: between the queries and the output of attention
    saved_op: bool = False  # the output of a matrix or of attention that op-selective recomputation keeps


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """How a layer runs, as far as its memory depends on it. Sizes are of one rank."""

    tokens: int
    rows: int  # tokens that norms and residuals see: fewer under sequence parallelism
    seq: int  # keys that a query of the eager attention sees
    tp: int
    cp: int
    etp: int
    number: int  # bytes of one number
    dropout: bool
    flash: bool
    implementation: str
    compile: bool
    fp8: bool

    @property
    def fused_engine(self) -> bool:
        """Transformer Engine's modules, which keep a norm's output beside its input."""
        return self.implementation == "megatron-te"

    @property
    def gathers_inputs(self) -> bool:
        """Whether the input of a matrix is kept gathered along the sequence, as PyTorch's tensor parallelism does.

        Megatron and nanotron keep their own part and gather it again (Korthikanti et al. 2022, section 4.2.2;
        nanotron, tp_recompute_allgather).
        """
        return self.implementation in ("torch", "torch-eager", "hf-eager")

    @property
    def paper(self) -> bool:
        """Megatron's own modules as Korthikanti et al. count them."""
        return self.implementation == "megatron"


def total(kept: Iterable[Kept]) -> int:
    """Bytes of these tensors together."""
    return sum(tensor.amount_bytes for tensor in kept)
