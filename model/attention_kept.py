"""What the attention half of a layer keeps, for each implementation."""

from .architecture import Architecture
from .held import key_heads
from .kept import CORE, INPUT, Kept, Setting

# A row of LayerNorm keeps its mean and its inverse deviation in fp32, RMSNorm the latter
# (PyTorch, native_layer_norm; Transformer Engine, the same).
STATISTIC = 4
# The log-sum-exp of each head and token, in fp32 (Dao et al. 2022, FlashAttention, arXiv:2205.14135).
LOG_SUM_EXP = 4


def norm_kept(shape: Architecture, setting: Setting, name: str, part: str = INPUT) -> list[Kept]:
    """A norm: its input, its statistics, and its output, which the matrix after it keeps as its own input."""
    h, rows, number = shape.hidden_size, setting.rows, setting.number
    kept = [Kept(name=f"{name} input", amount_bytes=rows * h * number, formula=f"s·b·h·{number}", part=part)]
    if setting.paper:
        return kept
    if setting.implementation in ("torch-eager", "hf-eager") and shape.norm == "rms" and number < 4:
        # Written out in fp32: the input and what it comes to in fp32, and what is scaled (transformers, LlamaRMSNorm).
        copies = 2 if setting.implementation == "hf-eager" else 1
        kept.append(Kept(name=f"{name} in fp32", amount_bytes=copies * rows * h * 4, formula=f"{copies}·s·b·h·4"))
        kept.append(Kept(name=f"{name} scaled", amount_bytes=rows * h * number, formula=f"s·b·h·{number}"))
    count = 2 if shape.norm == "layernorm" else 1
    kept.append(Kept(name=f"{name} statistics", amount_bytes=rows * count * STATISTIC, formula=f"s·b·{4 * count}"))
    return kept


def matrix_input(setting: Setting, name: str, width: int, symbol: str) -> Kept:
    """The input of a matrix that a norm gives it. A compiled layer computes it anew from the norm's input."""
    number = 1 if setting.fp8 and setting.fused_engine else setting.number
    amount = 0 if setting.compile else (setting.tokens if setting.gathers_inputs else setting.rows) * width * number
    return Kept(name=name, amount_bytes=amount, formula="0, compiled" if setting.compile else f"s·b·{symbol}·{number}")


def attention_kept(shape: Architecture, setting: Setting) -> list[Kept]:
    """From the layer's input to the residual sum after attention."""
    kept = norm_kept(shape, setting, "attention norm")
    kept += [matrix_input(setting, "attention input", shape.hidden_size, "h")]
    kept += _latent(shape, setting) if shape.mla else _projections(shape, setting)
    out = setting.tokens * (shape.num_attention_heads // setting.tp) * shape.v_head_dim
    kept += _core(shape, setting)
    number = setting.number
    kept.append(
        Kept(name="attention output", amount_bytes=out * number, formula=f"s·b·a·d·{number}/tp", saved_op=setting.flash)
    )
    if setting.cp > 1 and setting.fused_engine:
        # Context parallelism by all-to-all: the output as its heads were cut, and as the sequence is cut again
        # (Transformer Engine, AttnFuncWithCPAndQKVOA2A). The ring of point-to-point messages keeps it once.
        kept.append(Kept(name="attention output, by heads", amount_bytes=out * number, formula=f"s·b·a·d·{number}/tp"))
    if setting.fp8 and setting.fused_engine:
        kept.append(Kept(name="attention output in fp8", amount_bytes=out, formula="s·b·a·d/tp"))
    if setting.dropout:
        kept.append(Kept(name="attention dropout mask", amount_bytes=setting.rows * shape.hidden_size, formula="s·b·h"))
    return kept


def _projections(shape: Architecture, setting: Setting) -> list[Kept]:
    tokens, number, width = setting.tokens, setting.number, shape.head_dim
    queries = shape.num_attention_heads // setting.tp * width
    keys = key_heads(shape, setting.tp) * width
    kept = [
        Kept(name="queries", amount_bytes=tokens * queries * number, formula=f"s·b·a·d·{number}/tp", saved_op=True),
        Kept(name="keys", amount_bytes=tokens * keys * number, formula=f"s·b·k·d·{number}/tp"),
        Kept(name="values", amount_bytes=tokens * keys * number, formula=f"s·b·k·d·{number}/tp", saved_op=True),
    ]
    if shape.qk_norm and not setting.paper:
        both = tokens * (queries + keys) * number
        kept.append(Kept(name="q and k before their norms", amount_bytes=both, formula=f"s·b·(a + k)·d·{number}/tp"))
    if setting.implementation == "hf-eager" and shape.num_key_value_heads < shape.num_attention_heads:
        both = 2 * tokens * queries * number
        kept.append(Kept(name="keys and values repeated", amount_bytes=both, formula=f"2·s·b·a·d·{number}/tp"))
    return kept


def _latent(shape: Architecture, setting: Setting) -> list[Kept]:
    """Latent attention: narrow projections and their norms, whole on every rank, and wide heads.

    Values are a part of the up-projection, which stays whole; queries and keys are put together from two parts.
    """
    rows, tokens, number = setting.rows, setting.tokens, setting.number
    heads = shape.num_attention_heads // setting.tp
    kept = []
    for name, rank in (("query", shape.q_lora_rank or 0), ("key/value", shape.kv_lora_rank)):
        if rank:
            kept.append(Kept(name=f"{name} latent", amount_bytes=rows * rank * number, formula=f"s·b·r·{number}"))
            kept.append(matrix_input(setting, f"{name} latent, normed", rank, "r"))
    wide = heads * shape.head_dim * tokens * number
    up = heads * (shape.qk_nope_head_dim + shape.v_head_dim) * tokens * number
    kept.append(Kept(name="queries", amount_bytes=wide, formula=f"s·b·a·d_qk·{number}/tp", saved_op=True))
    kept.append(Kept(name="keys", amount_bytes=wide, formula=f"s·b·a·d_qk·{number}/tp"))
    kept.append(
        Kept(name="values", amount_bytes=up, formula=f"s·b·a·(d_nope + d_v)·{number}/tp, with the keys beside them")
    )
    return kept


def _core(shape: Architecture, setting: Setting) -> list[Kept]:
    """Between the queries and the output: a square of the sequence when eager, one number a token when flash."""
    heads = shape.num_attention_heads // setting.tp
    if setting.flash:
        amount = setting.tokens * heads * LOG_SUM_EXP
        return [Kept(name="log-sum-exp", amount_bytes=amount, formula="s·b·a·4/tp", part=CORE, saved_op=True)]
    square = setting.tokens * setting.seq * heads
    number = setting.number
    kept = [Kept(name="softmax", amount_bytes=square * number, formula=f"a·s²·b·{number}/tp", part=CORE)]
    if setting.implementation in ("torch-eager", "hf-eager") and number < 4:
        kept.append(Kept(name="softmax in fp32", amount_bytes=square * 4, formula="a·s²·b·4/tp", part=CORE))
    if setting.implementation == "hf-eager":
        # The masked scores, which are compared with the smallest number (transformers 4.28 to 4.31, LlamaAttention).
        kept.append(Kept(name="scores", amount_bytes=square * number, formula=f"a·s²·b·{number}/tp", part=CORE))
    if setting.dropout:
        kept.append(Kept(name="softmax dropout mask", amount_bytes=square, formula="a·s²·b/tp", part=CORE))
        amount = square * number
        kept.append(Kept(name="softmax dropped", amount_bytes=amount, formula=f"a·s²·b·{number}/tp", part=CORE))
    return kept
