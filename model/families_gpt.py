"""Families with LayerNorm, most with biases and an MLP of two matrices: GPT-2's descendants. See ``families.py``."""

from .family import ABSENT, ALL_BIASES, ATTENTION_BIAS, BIASED, PLAIN, Family, sizes

_GPT = {
    "hidden_size": "n_embd|hidden_size",
    "num_hidden_layers": "n_layer|num_hidden_layers",
    "num_attention_heads": "n_head|num_attention_heads",
    "max_position_embeddings": "n_positions|max_position_embeddings",
    "intermediate_size": "n_inner",
}

GPT_FAMILIES = {
    "gpt2": Family(
        reads=sizes(768, None, 12, 12, ABSENT, 50257, 1024, tie_word_embeddings=True),
        names=_GPT,
        fixed={**PLAIN, **ALL_BIASES},
        only={"add_cross_attention": False},
        rules=("four_times", "learned_positions"),
    ),
    "gptj": Family(
        reads=sizes(4096, None, 28, 16, ABSENT, 50400, 2048),
        names=_GPT,
        fixed={**PLAIN, "mlp_bias": True, "head_bias": True, "norms_per_layer": 1},
        only={"tie_word_embeddings": False},
        rules=("four_times",),
    ),
    "gpt_neox": Family(
        reads=sizes(6144, 24576, 44, 64, ABSENT, 50432, 2048, attn_qkv_bias=True, attn_o_bias=True),
        names=BIASED,
        fixed={**PLAIN, "mlp_bias": True},
    ),
    "opt": Family(
        reads=sizes(768, 3072, 12, 12, ABSENT, 50272, 2048, tie_word_embeddings=True, embedding_size=None) | ALL_BIASES,
        names={"intermediate_size": "ffn_dim", "embedding_size": "word_embed_proj_dim"}
        | dict.fromkeys(ALL_BIASES, "enable_bias"),
        fixed=PLAIN,
        only={"layer_norm_elementwise_affine": True},
        rules=("learned_positions", "opt"),
    ),
    "bloom": Family(
        reads=sizes(64, ABSENT, 2, 8, ABSENT, 250880, None, tie_word_embeddings=True),
        names={
            "hidden_size": "n_embed|hidden_size",
            "num_hidden_layers": "n_layer|num_hidden_layers",
            "num_attention_heads": "n_head|num_attention_heads",
            "max_position_embeddings": "seq_length",
        },
        fixed={**PLAIN, **ALL_BIASES, "embed_layernorm": True},
        rules=("four_times",),
    ),
    "falcon": Family(
        reads=sizes(4544, None, 32, 71, None, 65024, 2048, tie_word_embeddings=True) | dict.fromkeys(ALL_BIASES, False),
        names={
            "hidden_size": "hidden_size|n_embed",
            "intermediate_size": "ffn_hidden_size",
            "num_key_value_heads": "num_kv_heads",
        }
        | dict.fromkeys(ALL_BIASES, "bias"),
        fixed=PLAIN,
        rules=("four_times", "falcon"),
    ),
    "mpt": Family(
        reads=sizes(2048, ABSENT, 24, 16, ABSENT, 50368, 2048, tie_word_embeddings=True),
        names={
            "hidden_size": "d_model|hidden_size",
            "num_hidden_layers": "n_layers|num_hidden_layers",
            "num_attention_heads": "n_heads|num_attention_heads",
            "max_position_embeddings": "max_seq_len",
        },
        fixed=PLAIN,
        rules=("mpt",),
    ),
    "phi": Family(
        reads=sizes(2048, 8192, 24, 32, None, 51200, 2048, head_dim=None),
        fixed={**PLAIN, **ALL_BIASES, "head_bias": True, "norms_per_layer": 1},
        only={"qk_layernorm": False, "tie_word_embeddings": False},
    ),
    "starcoder2": Family(
        reads=sizes(3072, 12288, 30, 24, 2, 49152, 4096, head_dim=None, sliding_window=None)
        | {"tie_word_embeddings": True}
        | dict.fromkeys(ALL_BIASES, True),
        names=dict.fromkeys(ALL_BIASES, "use_bias"),
        fixed=PLAIN,
    ),
    "stablelm": Family(
        reads=sizes(2560, 6912, 32, 32, 32, 50304, 4096, attn_qkv_bias=False),
        names={"attn_qkv_bias": "use_qkv_bias"},
        fixed={"norm": "layernorm"},
        only={"qk_layernorm": False},
        rules=("parallel_norms",),
    ),
    "cohere": Family(
        reads=sizes(8192, 22528, 40, 64, None, 256000, 8192, head_dim=None, **ATTENTION_BIAS)
        | {"tie_word_embeddings": True},
        names=BIASED,
        fixed={"norm": "layernorm", "norm_bias": False, "norms_per_layer": 1},
        only={"use_qk_norm": False},
    ),
}
