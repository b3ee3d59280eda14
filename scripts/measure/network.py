"""The GPT of `sizes.py` in torch: one decoder block after another, nothing fused that would hide a tensor."""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from .sizes import Size


class Attention(nn.Module):
    """Causal self-attention with separate projections, so that tensor parallelism can split each by heads."""

    def __init__(self, size: Size, **where) -> None:
        super().__init__()
        self.width = size.hidden // size.heads
        for name in ("query", "key", "value", "output"):
            setattr(self, name, nn.Linear(size.hidden, size.hidden, **where))

    def forward(self, x: Tensor) -> Tensor:
        """``x`` and the result: batch × tokens × hidden. The number of heads follows from what this rank holds."""
        batch, tokens, _ = x.shape
        q, k, v = (
            project(x).view(batch, tokens, -1, self.width).transpose(1, 2)
            for project in (self.query, self.key, self.value)
        )
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.output(mixed.transpose(1, 2).reshape(batch, tokens, -1))


class Mlp(nn.Module):
    """Two linear maps with a GELU between them."""

    def __init__(self, size: Size, **where) -> None:
        super().__init__()
        self.up = nn.Linear(size.hidden, 4 * size.hidden, **where)
        self.down = nn.Linear(4 * size.hidden, size.hidden, **where)

    def forward(self, x: Tensor) -> Tensor:
        """``x`` and the result: batch × tokens × hidden."""
        return self.down(functional.gelu(self.up(x)))


class Block(nn.Module):
    """Attention and MLP, each after a LayerNorm and beside a way round it."""

    def __init__(self, size: Size, **where) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(size.hidden, **where)
        self.attention = Attention(size, **where)
        self.norm2 = nn.LayerNorm(size.hidden, **where)
        self.mlp = Mlp(size, **where)

    def forward(self, x: Tensor) -> Tensor:
        """``x`` and the result: batch × tokens × hidden."""
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Gpt(nn.Module):
    """Tokens in, logits out. A pipeline stage keeps some blocks, and the embeddings or the head where they are its own.

    ``layers`` names the blocks of this stage (all by default); ``first`` and ``last`` say whether it has the embeddings and
    the final norm with the head. ``recompute`` keeps only each block's input for the backward pass.
    """

    def __init__(
        self,
        size: Size,
        *,
        layers: range | None = None,
        first: bool = True,
        last: bool = True,
        recompute: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        where = {"device": device, "dtype": dtype}
        self.recompute = recompute
        if first:
            self.tokens = nn.Embedding(size.vocab, size.hidden, **where)
            self.positions = nn.Embedding(size.positions, size.hidden, **where)
        # Named by their place in the whole model, so that a stage's weights have the same names.
        kept = range(size.layers) if layers is None else layers
        self.blocks = nn.ModuleDict({str(index): Block(size, **where) for index in kept})
        if last:
            self.norm = nn.LayerNorm(size.hidden, **where)
            self.head = nn.Linear(size.hidden, size.vocab, bias=False, **where)
        self.first, self.last = first, last

    def forward(self, x: Tensor) -> Tensor:
        """Token numbers (batch × tokens) or hidden states (batch × tokens × hidden) to logits or hidden states."""
        if self.first:
            x = self.tokens(x) + self.positions(torch.arange(x.shape[1], device=x.device))
        for block in self.blocks.values():
            x = checkpoint(block, x, use_reentrant=False) if self.recompute else block(x)
        return self.head(self.norm(x)) if self.last else x


def loss_of(logits: Tensor, wanted: Tensor) -> Tensor:
    """Mean cross-entropy of ``logits`` (batch × tokens × vocabulary) at the token numbers ``wanted``, in fp32."""
    return functional.cross_entropy(logits.flatten(0, 1).float(), wanted.flatten())
