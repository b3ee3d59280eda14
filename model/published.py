"""Real models by name: the fields of their published config.json that say their shape, and where each is published.

A name is the model's on the Hugging Face hub, in lower case and without its owner; a few shorter ones lead to it.
A field that a row leaves out has its family's default. The values were compared with Lightning-AI/litgpt,
litgpt/config.py, at commit 26857050, where it lists the model.
"""

_H, _F, _L = "hidden_size", "intermediate_size", "num_hidden_layers"
_A, _K = "num_attention_heads", "num_key_value_heads"
_V, _S, _TIED, _D = "vocab_size", "max_position_embeddings", "tie_word_embeddings", "head_dim"
_TOPK, _EXPERT = "num_experts_per_tok", "moe_intermediate_size"
_MLA = {"kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128}
_MPT = {"attn_config": {"alibi": True}, "no_bias": True, "learned_pos_emb": True}

# model_type, the columns of its rows, fields that all its rows share, rows that start with the model's name on the hub.
TABLE = (
    ("llama", (_H, _F, _L, _A, _K, _V, _S), {_TIED: False}, (
        ("huggyllama/llama-7b", 4096, 11008, 32, 32, 32, 32000, 2048),
        ("huggyllama/llama-13b", 5120, 13824, 40, 40, 40, 32000, 2048),
        ("huggyllama/llama-30b", 6656, 17920, 60, 52, 52, 32000, 2048),
        ("huggyllama/llama-65b", 8192, 22016, 80, 64, 64, 32000, 2048),
        ("meta-llama/Llama-2-7b-hf", 4096, 11008, 32, 32, 32, 32000, 4096),
        ("meta-llama/Llama-2-13b-hf", 5120, 13824, 40, 40, 40, 32000, 4096),
        ("meta-llama/Llama-2-70b-hf", 8192, 28672, 80, 64, 8, 32000, 4096),
        ("meta-llama/Meta-Llama-3-8B", 4096, 14336, 32, 32, 8, 128256, 8192),
        ("meta-llama/Meta-Llama-3-70B", 8192, 28672, 80, 64, 8, 128256, 8192),
        ("meta-llama/Llama-3.1-8B", 4096, 14336, 32, 32, 8, 128256, 131072),
        ("meta-llama/Llama-3.1-70B", 8192, 28672, 80, 64, 8, 128256, 131072),
        ("meta-llama/Llama-3.1-405B", 16384, 53248, 126, 128, 8, 128256, 131072),
        ("meta-llama/Llama-3.3-70B-Instruct", 8192, 28672, 80, 64, 8, 128256, 131072),
        ("TinyLlama/TinyLlama-1.1B-intermediate-step-1431k-3T", 2048, 5632, 22, 32, 4, 32000, 2048),
    )),
    ("llama", (_H, _F, _L, _A, _K, _V, _S), {_TIED: True}, (
        ("meta-llama/Llama-3.2-1B", 2048, 8192, 16, 32, 8, 128256, 131072),
        ("meta-llama/Llama-3.2-3B", 3072, 8192, 28, 24, 8, 128256, 131072),
        ("HuggingFaceTB/SmolLM2-135M", 576, 1536, 30, 9, 3, 49152, 8192),
        ("HuggingFaceTB/SmolLM2-360M", 960, 2560, 32, 15, 5, 49152, 8192),
        ("HuggingFaceTB/SmolLM2-1.7B", 2048, 8192, 24, 32, 32, 49152, 8192),
    )),
    ("mistral", (_H, _F, _L, _A, _K, _V, _S, "sliding_window"), {_D: 128}, (
        ("mistralai/Mistral-7B-v0.1", 4096, 14336, 32, 32, 8, 32000, 32768, 4096),
        ("mistralai/Mistral-7B-v0.3", 4096, 14336, 32, 32, 8, 32768, 32768, None),
        ("mistralai/Mistral-Nemo-Base-2407", 5120, 14336, 40, 32, 8, 131072, 131072, None),
        ("mistralai/Mistral-Small-24B-Base-2501", 5120, 32768, 40, 32, 8, 131072, 32768, None),
    )),
    ("mixtral", (_H, _F, _L, _A, _K, _V, _S), {"num_local_experts": 8, _TOPK: 2}, (
        ("mistralai/Mixtral-8x7B-v0.1", 4096, 14336, 32, 32, 8, 32000, 32768),
        ("mistral-community/Mixtral-8x22B-v0.1", 6144, 16384, 56, 48, 8, 32000, 65536),
        ("mistralai/Mixtral-8x22B-Instruct-v0.1", 6144, 16384, 56, 48, 8, 32768, 65536),
    )),
    ("gemma", (_H, _F, _L, _A, _K, _D), {_V: 256000, _S: 8192}, (
        ("google/gemma-2b", 2048, 16384, 18, 8, 1, 256),
        ("google/gemma-7b", 3072, 24576, 28, 16, 16, 256),
    )),
    ("gemma2", (_H, _F, _L, _A, _K, _D), {_V: 256000, _S: 8192, "sliding_window": 4096}, (
        ("google/gemma-2-2b", 2304, 9216, 26, 8, 4, 256),
        ("google/gemma-2-9b", 3584, 14336, 42, 16, 8, 256),
        ("google/gemma-2-27b", 4608, 36864, 46, 32, 16, 128),
    )),
    ("gemma3_text", (_H, _F, _L, _A, _K, _D, _V, _S, "sliding_window"), {}, (
        ("google/gemma-3-1b-pt", 1152, 6912, 26, 4, 1, 256, 262144, 32768, 512),
        ("google/gemma-3-4b-pt", 2560, 10240, 34, 8, 4, 256, 262208, 131072, 1024),
        ("google/gemma-3-12b-pt", 3840, 15360, 48, 16, 8, 256, 262208, 131072, 1024),
        ("google/gemma-3-27b-pt", 5376, 21504, 62, 32, 16, 128, 262208, 131072, 1024),
    )),
    ("qwen2", (_H, _F, _L, _A, _K, _V, _S, _TIED), {}, (
        ("Qwen/Qwen1.5-72B", 8192, 24576, 80, 64, 64, 152064, 32768, False),
        ("Qwen/Qwen2.5-0.5B", 896, 4864, 24, 14, 2, 151936, 32768, True),
        ("Qwen/Qwen2.5-1.5B", 1536, 8960, 28, 12, 2, 151936, 131072, True),
        ("Qwen/Qwen2.5-3B", 2048, 11008, 36, 16, 2, 151936, 32768, True),
        ("Qwen/Qwen2.5-7B", 3584, 18944, 28, 28, 4, 152064, 131072, False),
        ("Qwen/Qwen2.5-14B", 5120, 13824, 48, 40, 8, 152064, 131072, False),
        ("Qwen/Qwen2.5-32B", 5120, 27648, 64, 40, 8, 152064, 131072, False),
        ("Qwen/Qwen2.5-72B", 8192, 29568, 80, 64, 8, 152064, 131072, False),
    )),
    ("qwen2_moe", (_H, _F, _L, _A, _K, _V, _S), {"num_experts": 60, _TOPK: 4, _EXPERT: 1408}, (
        ("Qwen/Qwen1.5-MoE-A2.7B", 2048, 5632, 24, 16, 16, 151936, 8192),
    )),
    ("qwen3", (_H, _F, _L, _A, _K, _TIED), {_D: 128, _V: 151936, _S: 40960}, (
        ("Qwen/Qwen3-0.6B", 1024, 3072, 28, 16, 8, True),
        ("Qwen/Qwen3-1.7B", 2048, 6144, 28, 16, 8, True),
        ("Qwen/Qwen3-4B", 2560, 9728, 36, 32, 8, True),
        ("Qwen/Qwen3-8B", 4096, 12288, 36, 32, 8, False),
        ("Qwen/Qwen3-14B", 5120, 17408, 40, 40, 8, False),
        ("Qwen/Qwen3-32B", 5120, 25600, 64, 64, 8, False),
    )),
    ("qwen3_moe", (_H, _F, _L, _A, _K, _EXPERT), {_D: 128, _V: 151936, _S: 40960, "num_experts": 128, _TOPK: 8}, (
        ("Qwen/Qwen3-30B-A3B", 2048, 6144, 48, 32, 4, 768),
        ("Qwen/Qwen3-235B-A22B", 4096, 12288, 94, 64, 4, 1536),
    )),
    ("phi3", (_H, _F, _L, _A, _K, _V, _S, "sliding_window"), {}, (
        ("microsoft/Phi-3-mini-4k-instruct", 3072, 8192, 32, 32, 32, 32064, 4096, 2047),
        ("microsoft/phi-4", 5120, 17920, 40, 40, 10, 100352, 16384, None),
    )),
    ("olmo2", (_H, _F, _L, _A, _K), {_V: 100352, _S: 4096}, (
        ("allenai/OLMo-2-1124-7B", 4096, 11008, 32, 32, 32),
        ("allenai/OLMo-2-1124-13B", 5120, 13824, 40, 40, 40),
    )),
    ("gpt_oss", (_L, "num_local_experts"), {_S: 131072, _TOPK: 4}, (
        ("openai/gpt-oss-20b", 24, 32),
        ("openai/gpt-oss-120b", 36, 128),
    )),
    ("deepseek_v2", (_H, _F, _L, _A, "q_lora_rank", "n_routed_experts", _EXPERT),
     {_V: 102400, _S: 163840, "n_shared_experts": 2, _TOPK: 6, "first_k_dense_replace": 1, **_MLA}, (
        ("deepseek-ai/DeepSeek-V2-Lite", 2048, 10944, 27, 16, None, 64, 1408),
        ("deepseek-ai/DeepSeek-V2", 5120, 12288, 60, 128, 1536, 160, 1536),
    )),
    ("deepseek_v3", (_H, _F, _L, _A), {_V: 129280, _S: 163840}, (
        ("deepseek-ai/DeepSeek-V3", 7168, 18432, 61, 128),
    )),
    ("kimi_k2", (_H, _F, _L, _A, "n_routed_experts", _EXPERT),
     {_V: 163840, _S: 131072, "n_shared_experts": 1, _TOPK: 8, "first_k_dense_replace": 1, "q_lora_rank": 1536, **_MLA}, (
        ("moonshotai/Kimi-K2-Instruct", 7168, 18432, 61, 64, 384, 2048),
    )),
    ("gpt2", ("n_embd", "n_layer", "n_head"), {}, (
        ("openai-community/gpt2", 768, 12, 12),
        ("openai-community/gpt2-medium", 1024, 24, 16),
        ("openai-community/gpt2-large", 1280, 36, 20),
        ("openai-community/gpt2-xl", 1600, 48, 25),
    )),
    ("gptj", (), {}, (("EleutherAI/gpt-j-6b",),)),
    ("gpt_neox", (_H, _F, _L, _A, _V), {_S: 2048}, (
        ("EleutherAI/gpt-neox-20b", 6144, 24576, 44, 64, 50432),
        ("EleutherAI/pythia-70m", 512, 2048, 6, 8, 50304),
        ("EleutherAI/pythia-160m", 768, 3072, 12, 12, 50304),
        ("EleutherAI/pythia-410m", 1024, 4096, 24, 16, 50304),
        ("EleutherAI/pythia-1b", 2048, 8192, 16, 8, 50304),
        ("EleutherAI/pythia-1.4b", 2048, 8192, 24, 16, 50304),
        ("EleutherAI/pythia-2.8b", 2560, 10240, 32, 32, 50304),
        ("EleutherAI/pythia-6.9b", 4096, 16384, 32, 32, 50432),
        ("EleutherAI/pythia-12b", 5120, 20480, 36, 40, 50688),
    )),
    ("opt", (_H, "ffn_dim", _L, _A), {}, (
        ("facebook/opt-125m", 768, 3072, 12, 12),
        ("facebook/opt-1.3b", 2048, 8192, 24, 32),
        ("facebook/opt-2.7b", 2560, 10240, 32, 32),
        ("facebook/opt-6.7b", 4096, 16384, 32, 32),
        ("facebook/opt-13b", 5120, 20480, 40, 40),
        ("facebook/opt-30b", 7168, 28672, 48, 56),
        ("facebook/opt-66b", 9216, 36864, 64, 72),
    )),
    ("bloom", ("n_embed", "n_layer", "num_attention_heads"), {"seq_length": 2048}, (
        ("bigscience/bloom-560m", 1024, 24, 16),
        ("bigscience/bloom-1b1", 1536, 24, 16),
        ("bigscience/bloom-1b7", 2048, 24, 16),
        ("bigscience/bloom-3b", 2560, 30, 32),
        ("bigscience/bloom-7b1", 4096, 30, 32),
        ("bigscience/bloom", 14336, 70, 112),
    )),
    ("falcon", (_H, _L, _A, "num_kv_heads", "new_decoder_architecture"), {}, (
        ("tiiuae/falcon-7b", 4544, 32, 71, 71, False),
        ("tiiuae/falcon-40b", 8192, 60, 128, 8, True),
    )),
    ("mpt", ("d_model", "n_layers", "n_heads", "max_seq_len"), {_V: 50432, **_MPT}, (
        ("mosaicml/mpt-7b", 4096, 32, 32, 2048),
        ("mosaicml/mpt-30b", 7168, 48, 64, 8192),
    )),
)  # fmt: skip

# Table 1 of the paper: GPT-3's shape with Megatron's padded vocabulary, and its largest model.
_MEGATRON = {
    _V: 51200,
    "pos_embed_rows": 2048,
    _S: 2048,
    _TIED: True,
    "norm": "layernorm",
    "gated": False,
    "attn_qkv_bias": True,
    "attn_o_bias": True,
    "mlp_bias": True,
}
NEUTRAL = {
    "gpt-3-175b": {_H: 12288, _F: 49152, _L: 96, _A: 96, **_MEGATRON},
    "megatron-1t": {_H: 25600, _F: 102400, _L: 128, _A: 160, **_MEGATRON},
}

ALIASES = {
    "llama-1-65b": "llama-65b",
    "llama-2-7b": "llama-2-7b-hf",
    "llama-2-13b": "llama-2-13b-hf",
    "llama-2-70b": "llama-2-70b-hf",
    "llama-3-8b": "meta-llama-3-8b",
    "llama-3-70b": "meta-llama-3-70b",
    "meta-llama-3.1-8b": "llama-3.1-8b",
    "meta-llama-3.1-70b": "llama-3.1-70b",
    "meta-llama-3.1-405b": "llama-3.1-405b",
    "llama-3.3-70b": "llama-3.3-70b-instruct",
    "tinyllama-1.1b": "tinyllama-1.1b-intermediate-step-1431k-3t",
    "mistral-nemo-12b": "mistral-nemo-base-2407",
    "mistral-small-24b": "mistral-small-24b-base-2501",
    "gemma-3-1b": "gemma-3-1b-pt",
    "gemma-3-4b": "gemma-3-4b-pt",
    "gemma-3-12b": "gemma-3-12b-pt",
    "gemma-3-27b": "gemma-3-27b-pt",
    "phi-3-mini-4k": "phi-3-mini-4k-instruct",
    "kimi-k2": "kimi-k2-instruct",
    "kimi-k2-base": "kimi-k2-instruct",
    "bloom-176b": "bloom",
}
