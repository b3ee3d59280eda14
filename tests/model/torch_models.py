"""The models that PyTorch was measured with, and the plans that say how, for the tests of states and of peaks."""

import json
from pathlib import Path

MEASURED = json.loads((Path(__file__).parent / "data" / "torch_memory.json").read_text("utf-8"))
BF16_MASTER = {"weight_bytes": 2, "gradient_bytes": 2, "master_bytes": 4, "moment_bytes": 8}


def gpt(vocab, hidden, layers, heads, positions):
    """GPT with learned positions, LayerNorm, biases and an untied head."""
    return {
        "architecture": {
            "vocab_size": vocab,
            "hidden_size": hidden,
            "num_hidden_layers": layers,
            "num_attention_heads": heads,
            "intermediate_size": 4 * hidden,
            "gated": False,
            "mlp_bias": True,
            "norm": "layernorm",
            "pos_embed_rows": positions,
            "attn_qkv_bias": True,
            "attn_o_bias": True,
            "max_position_embeddings": positions or None,
        }
    }


TINY = gpt(1024, 192, 8, 6, 64)
LARGE = gpt(50304, 4096, 36, 32, 1024)


def plan(model, gpus, *, preset, precision="autocast", batch=None, **sections):
    recipe = {"preset": preset, **(BF16_MASTER if precision == "bf16_master" else {}), **sections.pop("recipe", {})}
    return {
        "model": model,
        "cluster": {"gpu": "h100-sxm-80gb", "gpus": gpus},
        "recipe": recipe,
        "batch": batch or {},
        **sections,
    }
