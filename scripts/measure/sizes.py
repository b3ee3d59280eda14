"""The networks that are measured: GPT with learned positions, LayerNorm, biases everywhere and an untied head.

No torch here: the same sizes make the network (`network.py`) and the plan that the model answers.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """``vocab`` words, ``hidden`` wide, ``layers`` deep, ``heads`` heads, ``positions`` tokens long."""

    vocab: int
    hidden: int
    layers: int
    heads: int
    positions: int

    def architecture(self) -> dict[str, Any]:
        """The plan's ``model`` that says the same."""
        return {
            "architecture": {
                "vocab_size": self.vocab,
                "hidden_size": self.hidden,
                "num_hidden_layers": self.layers,
                "num_attention_heads": self.heads,
                "intermediate_size": 4 * self.hidden,
                "gated": False,
                "mlp_bias": True,
                "norm": "layernorm",
                "pos_embed_rows": self.positions,
                "attn_qkv_bias": True,
                "attn_o_bias": True,
                "max_position_embeddings": self.positions,
            }
        }


SIZES = {
    "tiny": Size(vocab=1024, hidden=192, layers=8, heads=6, positions=64),
    # Twelve heads can be split over 2, 3, 4 and 6 ranks of tensor parallelism.
    "tiny-12": Size(vocab=1024, hidden=192, layers=8, heads=12, positions=64),
    # For more ranks: 8 of tensor parallelism, or a pipeline of 16 stages.
    "tiny-24": Size(vocab=1024, hidden=192, layers=16, heads=24, positions=64),
    # Its parameters do not divide by the ranks.
    "uneven": Size(vocab=1001, hidden=190, layers=2, heads=2, positions=64),
    "1.3b": Size(vocab=50304, hidden=2048, layers=24, heads=16, positions=1024),
    # The class of the running example: 7.67e9 parameters.
    "7.7b": Size(vocab=50304, hidden=4096, layers=36, heads=32, positions=1024),
    "70b": Size(vocab=50304, hidden=8192, layers=86, heads=64, positions=1024),
}
