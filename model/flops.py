"""FLOPs of one token: what training must compute, and what it computes again to save memory.

A multiplication and an addition count 2, so a matrix of n numbers costs a token 2n forward, 2n for the gradient of its
input and 2n for its own: 6n. Embeddings are looked up, not multiplied; a tied head is multiplied all the same.
Source: Kaplan et al. 2020, section 2.1 (arXiv:2001.08361); Chowdhery et al. 2022, PaLM, appendix B (arXiv:2204.02311).
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from .architecture import Architecture
from .tensors import Tensor, head_tensors, layer_tensors

LOOKED_UP = ("embedding", "position")


@dataclass(frozen=True, slots=True, kw_only=True)
class Flops:
    """FLOPs a token costs in one forward pass, by what they are for."""

    layers: int  # matrices of the layers
    attention: Fraction  # scores, and values weighted by them
    head: int  # the head, and the matrices around a narrow embedding

    @property
    def forward(self) -> Fraction:
        """One forward pass."""
        return self.layers + self.attention + self.head

    def model(self, trainable: Fraction = Fraction(1)) -> Fraction:
        """Forward and backward, nothing twice: 6 for each number of a matrix, 4 where its own gradient is not needed."""
        return 3 * self.attention + (2 + trainable) * (self.layers + self.head)

    def recomputed(self, recompute: str, share: Fraction = Fraction(1), *, fused: bool = False) -> Fraction:
        """What recomputation adds. ``share``: the part of the layers that is recomputed; ``fused``: flash attention.

        full: a forward of the layers (Narayanan et al. 2021, appendix, arXiv:2104.04473); selective: the attention
        core; a fused one its forward, any other as its published HFU figures do (Korthikanti et al. 2022, section 5 and
        appendix A, arXiv:2205.05198): all of its 12·L·a·d·s, three times the forward that runs again; op-selective:
        every second matrix product of the layers, not attention (torchtitan, activation checkpointing).
        """
        extra = {
            "none": Fraction(0),
            "selective": self.attention * (1 if fused else 3),
            "op-selective": Fraction(self.layers, 2),
            "full": self.layers + self.attention,
        }
        return share * extra[recompute]


@lru_cache(maxsize=256)
def flops_per_token(shape: Architecture, seq: int, convention: str = "full") -> Flops:
    """FLOPs of one token in sequences of ``seq``.

    ``convention``: full counts every score, 12·L·a·d·s a token for forward and backward; causal half of that, since a
    token sees only those before it. Both are published; which one a figure used changes it by up to a factor of two.
    Both take the window for the sequence in a layer that has one: causal is half a window there, though nearly all of
    it is seen where sequences are much longer (``visible_flops``).
    """
    layers = attention = 0
    kinds = Counter((shape.is_moe(layer), shape.window_of(layer)) for layer in range(shape.num_hidden_layers))
    for (moe, window), count in kinds.items():
        layers += count * _matrices(layer_tensors(shape, moe=moe))
        attention += count * attention_flops(shape, window, seq)
    factor = Fraction(1, 2) if convention == "causal" else Fraction(1)
    return Flops(layers=layers, attention=attention * factor, head=head_flops(shape))


def attention_flops(shape: Architecture, window: int | None, seq: int) -> int:
    """Forward FLOPs a token of one layer's scores and weighted values, every one of ``seq`` or of the window counted.

    2·a·(d_qk + d_v)·min(s, window): 4·a·d·s where keys and values are equally wide.
    """
    return _scored(shape) * min(seq, window or seq)


def visible_flops(shape: Architecture, window: int | None, seq: int) -> Fraction:
    """Forward FLOPs a token of what a causal mask leaves of one layer's scores, with a window or without: a kernel's.

    The query at place i sees min(i, w) keys, w the window or ``seq``: w − w(w − 1)/(2s) on average.
    """
    seen = min(seq, window or seq)
    return _scored(shape) * (seen - Fraction(seen * (seen - 1), 2 * seq))


def _scored(shape: Architecture) -> int:
    """FLOPs of one query and one key, in all heads: their score, and the value weighted by it."""
    return 2 * shape.num_attention_heads * (shape.head_dim + shape.v_head_dim)


def head_flops(shape: Architecture) -> int:
    """Forward FLOPs a token outside the layers: the head, tied or not, and the projections of a narrow embedding."""
    tied = 2 * shape.vocab_size * shape.embedding_size if shape.tie_word_embeddings else 0
    narrow = 2 * shape.embedding_size * shape.hidden_size if shape.embedding_size != shape.hidden_size else 0
    return _matrices(head_tensors(shape)) + tied + narrow


def _matrices(tensors: tuple[Tensor, ...]) -> int:
    """2 for each number of each matrix that a token passes through; of the experts, those that it visits."""
    return sum(
        2 * tensor.elements * tensor.used
        for tensor in tensors
        if len(tensor.shape) > 1 and tensor.component not in LOOKED_UP
    )
