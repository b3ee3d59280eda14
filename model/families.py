"""Families of models on the Hugging Face hub: which fields of their config.json say what, and what a left-out one means.

Defaults are those of the family's configuration class in transformers 5.24
(https://github.com/huggingface/transformers, src/transformers/models/<family>/configuration_<family>.py);
what is fixed, such as a bias that no field turns off, is read off the modules of modeling_<family>.py.
"""

from .families_gpt import GPT_FAMILIES
from .family import ABSENT, ATTENTION_BIAS, BIASED, EXPERTS, ROUTED, Family, sizes
from .reading import REQUIRED

_LATENT = {
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
}
_DEEPSEEK = {"names": {**BIASED, **ROUTED}, "only": {"moe_layer_freq": 1, "mlp_bias": False}}

_LLAMA = Family(
    reads=sizes(4096, 11008, 32, 32, None, 32000, 2048, head_dim=None, mlp_bias=False, **ATTENTION_BIAS),
    names=BIASED,
)
_DEEPSEEK_V3 = sizes(7168, 18432, 61, 128, ABSENT, 129280, 4096, **_LATENT, **ATTENTION_BIAS) | {
    "num_experts": 256,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 2048,
    "n_shared_experts": 1,
    "first_k_dense_replace": 3,
}
_GEMMA_3 = Family(
    reads=sizes(2304, 9216, 26, 8, 4, 262208, 131072, head_dim=256, sliding_window=4096, **ATTENTION_BIAS)
    | {"tie_word_embeddings": True},
    names=BIASED,
    fixed={"norms_per_layer": 4, "qk_norm": "per_head"},
    rules=("window_pattern",),
    alternate=6,
)

FAMILIES = {
    "llama": _LLAMA,
    "mistral": Family(
        reads=sizes(4096, 14336, 32, 32, 8, 32000, 131072, head_dim=None, sliding_window=4096),
    ),
    "mixtral": Family(
        reads=sizes(4096, 0, 32, 32, 8, 32000, 131072, head_dim=None, sliding_window=None)
        | {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 14336},
        names={"num_experts": "num_local_experts|num_experts", "moe_intermediate_size": "intermediate_size"},
        fixed={"intermediate_size": 0},
    ),
    "gemma": Family(
        reads=sizes(3072, 24576, 28, 16, 16, 256000, 8192, head_dim=256, **ATTENTION_BIAS)
        | {"tie_word_embeddings": True},
        names=BIASED,
    ),
    "gemma2": Family(
        reads=sizes(2304, 9216, 26, 8, 4, 256000, 8192, head_dim=256, sliding_window=4096, **ATTENTION_BIAS)
        | {"tie_word_embeddings": True},
        names=BIASED,
        fixed={"norms_per_layer": 4},
        alternate=2,
    ),
    "gemma3_text": _GEMMA_3,
    "gemma3": _GEMMA_3,  # its text_config; the vision tower is not part of a language model
    "qwen2": Family(
        reads=sizes(4096, 22016, 32, 32, 32, 151936, 32768, head_dim=None, sliding_window=4096),
        fixed={"attn_qkv_bias": True},
        rules=("optional_window", "late_window"),
    ),
    "qwen2_moe": Family(
        reads=sizes(2048, 5632, 24, 16, 16, 151936, 32768, head_dim=None, sliding_window=4096, attn_qkv_bias=True)
        | {
            "num_experts": 60,
            "num_experts_per_tok": 4,
            "moe_intermediate_size": 1408,
            "shared_intermediate_size": 5632,
        },
        names={
            **EXPERTS,
            "attn_qkv_bias": "qkv_bias",
            "shared_intermediate_size": "shared_expert_intermediate_size",
        },
        fixed={"shared_expert_gate": True},
        rules=("optional_window", "early_window", "sparse_step"),
    ),
    "qwen3": Family(
        reads=sizes(4096, 22016, 32, 32, 32, 151936, 32768, head_dim=128, sliding_window=4096, **ATTENTION_BIAS),
        names=BIASED,
        fixed={"qk_norm": "per_head"},
        rules=("optional_window", "late_window"),
    ),
    "qwen3_moe": Family(
        reads=sizes(2048, 6144, 24, 32, 4, 151936, 32768, head_dim=None, sliding_window=4096, **ATTENTION_BIAS)
        | {"num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 768},
        names={**BIASED, **EXPERTS},
        fixed={"qk_norm": "per_head"},
        rules=("optional_window", "sparse_step"),
    ),
    "phi3": Family(reads=sizes(3072, 8192, 32, 32, None, 32064, 4096, head_dim=None, sliding_window=None)),
    "olmo2": Family(
        reads=sizes(4096, 11008, 32, 32, None, 50304, 2048, head_dim=None, **ATTENTION_BIAS),
        names=BIASED,
        fixed={"qk_norm": "full"},
    ),
    "olmo3": Family(
        reads=sizes(4096, 11008, 32, 32, None, 50304, 2048, head_dim=None, sliding_window=4096, **ATTENTION_BIAS),
        names=BIASED,
        fixed={"qk_norm": "full"},
        alternate=4,
    ),
    "gpt_oss": Family(
        reads=sizes(2880, 0, 36, 64, 8, 201088, 131072, head_dim=64, sliding_window=128)
        | {"attn_qkv_bias": True, "attn_o_bias": True}
        | {"num_experts": 128, "num_experts_per_tok": 4, "moe_intermediate_size": 2880},
        names={
            **BIASED,
            "num_experts": "num_local_experts|num_experts",
            "num_experts_per_tok": "num_experts_per_tok|experts_per_token",
            "moe_intermediate_size": "intermediate_size",
        },
        fixed={"intermediate_size": 0, "attn_sinks": True, "expert_bias": True, "router_bias": True},
        alternate=2,
    ),
    "deepseek_v2": Family(
        reads=sizes(4096, 11008, 32, 32, ABSENT, 102400, 2048, **_LATENT, **ATTENTION_BIAS)
        | {"num_experts": 64, "num_experts_per_tok": 0, "moe_intermediate_size": 1407, "n_shared_experts": 2}
        | {"first_k_dense_replace": 0},
        fixed={"mla": True},
        **_DEEPSEEK,
    ),
    "deepseek_v3": Family(reads=_DEEPSEEK_V3, fixed={"mla": True, "router_correction_bias": True}, **_DEEPSEEK),
    # Its configuration class lives with each checkpoint, so a left-out size is an error and not a default.
    "kimi_k2": Family(
        reads=dict.fromkeys(_DEEPSEEK_V3, REQUIRED)
        | {"tie_word_embeddings": False, "max_position_embeddings": None, **ATTENTION_BIAS},
        fixed={"mla": True, "router_correction_bias": True},
        **_DEEPSEEK,
    ),
    "granite": Family(
        reads=sizes(4096, 11008, 32, 32, None, 32000, 2048, head_dim=None, mlp_bias=False, **ATTENTION_BIAS),
        names=BIASED,
    ),
    "smollm3": Family(
        reads=sizes(2048, 11008, 36, 16, 4, 128256, 32768, head_dim=None, mlp_bias=False, **ATTENTION_BIAS)
        | {"tie_word_embeddings": True},
        names=BIASED,
        only={"use_sliding_window": False},
    ),
    "glm4": Family(
        reads=sizes(4096, 13696, 40, 32, 2, 151552, 131072, head_dim=128, attn_qkv_bias=True),
        names={"attn_qkv_bias": "attention_bias"},
        fixed={"norms_per_layer": 4},
    ),
    "glm4_moe": Family(
        reads=sizes(4096, 10944, 46, 96, 8, 151552, 131072, head_dim=None, attn_qkv_bias=False)
        | {"num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 1408}
        | {"n_shared_experts": 1, "first_k_dense_replace": 1},
        names={"attn_qkv_bias": "attention_bias", **ROUTED},
        fixed={"router_correction_bias": True},
        rules=("optional_qk_norm",),
    ),
    **GPT_FAMILIES,
}
