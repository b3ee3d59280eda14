"""Every tensor of a transformer: its name, its shape, what it belongs to, and how tensor parallelism cuts it.

Names are those of Llama's and DeepSeek's checkpoints on the Hugging Face hub, whatever the family; ``*`` stands for a
layer or an expert. A matrix is (out, in), as PyTorch stores it. Frameworks that fuse q, k and v, or gate and up, hold
the same numbers in fewer tensors.
Rotary frequencies and the biases that balance DeepSeek's experts are buffers: nothing trains them, so they are not here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from .architecture import Architecture

COMPONENTS = ("embedding", "position", "attention", "mlp", "experts", "router", "norm", "head", "other")
LAYER = "model.layers.*."


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """One tensor of a layer, of the embedding or of the head.

    ``copies``  how many the layer has (its routed experts), else 1
    ``used``    how many of those a token passes through
    ``tp_dim``  the axis that tensor parallelism cuts (0 columns of the output, 1 of the input), None if each rank
                keeps the whole. Source: Shoeybi et al. 2019, Megatron-LM, section 3 (arXiv:1909.08053)
    """

    name: str
    shape: tuple[int, ...]
    component: str
    tp_dim: int | None = None
    copies: int = 1
    used: int = 1

    @property
    def elements(self) -> int:
        """Numbers in one copy."""
        return prod(self.shape)

    @property
    def parameters(self) -> int:
        """Numbers in all copies."""
        return self.elements * self.copies


def embedding_tensors(shape: Architecture) -> tuple[Tensor, ...]:
    """What stands before the first layer, and lives on the first pipeline stage."""
    narrow, hidden = shape.embedding_size, shape.hidden_size
    tensors = [
        Tensor(name="model.embed_tokens.weight", shape=(shape.vocab_size, narrow), component="embedding", tp_dim=0)
    ]
    if shape.pos_embed_rows:
        rows = (shape.pos_embed_rows, hidden)
        tensors.append(Tensor(name="model.embed_positions.weight", shape=rows, component="position"))
    if narrow != hidden:
        tensors.append(Tensor(name="model.project_in.weight", shape=(hidden, narrow), component="other"))
    if shape.embed_layernorm:
        tensors += _norm(shape, "model.embed_norm", hidden)
    return tuple(tensors)


def layer_tensors(shape: Architecture, *, moe: bool) -> tuple[Tensor, ...]:
    """One layer; ``moe``: with its mixture of experts, else with a dense MLP. Names start with ``model.layers.*.``"""
    attention = _latent_attention(shape) if shape.mla else _attention(shape)
    mlp = _experts(shape) if moe else _mlp(shape, LAYER + "mlp", shape.intermediate_size, "mlp", shape.mlp_bias)
    norms = [
        tensor
        for number in range(shape.norms_per_layer)
        for tensor in _norm(shape, _norm_name(shape, number), shape.hidden_size)
    ]
    return (*attention, *mlp, *norms)


def head_tensors(shape: Architecture) -> tuple[Tensor, ...]:
    """What stands after the last layer. A tied head is the embedding again, so it adds no tensor."""
    narrow, hidden = shape.embedding_size, shape.hidden_size
    tensors = list(_norm(shape, "model.norm", hidden)) if shape.final_norm else []
    if narrow != hidden:
        tensors.append(Tensor(name="model.project_out.weight", shape=(narrow, hidden), component="other"))
    if not shape.tie_word_embeddings:
        tensors.append(Tensor(name="lm_head.weight", shape=(shape.vocab_size, narrow), component="head", tp_dim=0))
    if shape.head_bias:
        tensors.append(Tensor(name="lm_head.bias", shape=(shape.vocab_size,), component="head", tp_dim=0))
    return tuple(tensors)


def all_tensors(shape: Architecture) -> Iterator[tuple[Tensor, int]]:
    """Each tensor of the model with the number of layers that have it (1 outside the layers)."""
    yield from ((tensor, 1) for tensor in embedding_tensors(shape))
    dense = len(shape.dense_layers) if shape.num_experts else shape.num_hidden_layers
    for moe, layers in ((False, dense), (True, shape.num_hidden_layers - dense)):
        if layers:
            yield from ((tensor, layers) for tensor in layer_tensors(shape, moe=moe))
    yield from ((tensor, 1) for tensor in head_tensors(shape))


def parameters(shape: Architecture) -> int:
    """Parameters of the whole model; tied embeddings count once."""
    return sum(tensor.parameters * layers for tensor, layers in all_tensors(shape))


def _linear(name: str, out: int, into: int, component: str, *, cut: int | None, bias: bool = False) -> list[Tensor]:
    """A matrix and its bias. A matrix cut along its input adds its parts up, so every rank keeps the whole bias."""
    tensors = [Tensor(name=f"{name}.weight", shape=(out, into), component=component, tp_dim=cut)]
    if bias:
        cut_bias = 0 if cut == 0 else None
        tensors.append(Tensor(name=f"{name}.bias", shape=(out,), component=component, tp_dim=cut_bias))
    return tensors


def _norm(shape: Architecture, name: str, width: int, component: str = "norm") -> list[Tensor]:
    """RMSNorm keeps one number a channel, LayerNorm two (Zhang & Sennrich 2019, arXiv:1910.07467)."""
    parts = ("weight", "bias") if shape.norm_bias and component == "norm" else ("weight",)
    return [Tensor(name=f"{name}.{part}", shape=(width,), component=component) for part in parts]


def _norm_name(shape: Architecture, number: int) -> str:
    four = ("input", "post_attention", "pre_feedforward", "post_feedforward")
    names = four if shape.norms_per_layer > 2 else ("input", "post_attention")
    return f"{LAYER}{names[number]}_layernorm" if number < len(names) else f"{LAYER}norm_{number}"


def _attention(shape: Architecture) -> list[Tensor]:
    """Queries for a heads, keys and values for k of them (Ainslie et al. 2023, arXiv:2305.13245)."""
    name, hidden, bias = LAYER + "self_attn", shape.hidden_size, shape.attn_qkv_bias
    queries = shape.num_attention_heads * shape.head_dim
    keys = shape.num_key_value_heads * shape.head_dim
    tensors = [
        *_linear(f"{name}.q_proj", queries, hidden, "attention", cut=0, bias=bias),
        *_linear(f"{name}.k_proj", keys, hidden, "attention", cut=0, bias=bias),
        *_linear(f"{name}.v_proj", keys, hidden, "attention", cut=0, bias=bias),
        *_linear(f"{name}.o_proj", hidden, queries, "attention", cut=1, bias=shape.attn_o_bias),
    ]
    if shape.qk_norm:
        full = shape.qk_norm == "full"
        for part, width in (("q", queries), ("k", keys)):
            tensors += _norm(shape, f"{name}.{part}_norm", width if full else shape.head_dim, "attention")
    return tensors + _sinks(shape)


def _latent_attention(shape: Architecture) -> list[Tensor]:
    """Multi-head latent attention (DeepSeek-AI 2024, DeepSeek-V2, section 2.1, arXiv:2405.04434)."""
    name, hidden, heads = LAYER + "self_attn", shape.hidden_size, shape.num_attention_heads
    latent, bias = shape.kv_lora_rank, shape.attn_qkv_bias
    if shape.q_lora_rank:
        tensors = [
            *_linear(f"{name}.q_a_proj", shape.q_lora_rank, hidden, "attention", cut=None, bias=bias),
            *_norm(shape, f"{name}.q_a_layernorm", shape.q_lora_rank, "attention"),
            *_linear(f"{name}.q_b_proj", heads * shape.head_dim, shape.q_lora_rank, "attention", cut=0),
        ]
    else:
        tensors = _linear(f"{name}.q_proj", heads * shape.head_dim, hidden, "attention", cut=0)
    up = heads * (shape.qk_nope_head_dim + shape.v_head_dim)
    down = latent + shape.qk_rope_head_dim
    return [
        *tensors,
        *_linear(f"{name}.kv_a_proj_with_mqa", down, hidden, "attention", cut=None, bias=bias),
        *_norm(shape, f"{name}.kv_a_layernorm", latent, "attention"),
        *_linear(f"{name}.kv_b_proj", up, latent, "attention", cut=0),
        *_linear(f"{name}.o_proj", hidden, heads * shape.v_head_dim, "attention", cut=1, bias=shape.attn_o_bias),
        *_sinks(shape),
    ]


def _sinks(shape: Architecture) -> list[Tensor]:
    """One learned number a head that takes up attention (OpenAI 2025, gpt-oss model card, arXiv:2508.10925)."""
    heads = (shape.num_attention_heads,)
    sinks = Tensor(name=f"{LAYER}self_attn.sinks", shape=heads, component="attention", tp_dim=0)
    return [sinks] if shape.attn_sinks else []


def _mlp(shape: Architecture, name: str, width: int, component: str, bias: bool) -> list[Tensor]:
    """Two matrices, or three with a gate (Shazeer 2020, arXiv:2002.05202)."""
    inward = ("gate_proj", "up_proj") if shape.gated else ("up_proj",)
    tensors = [
        tensor
        for part in inward
        for tensor in _linear(f"{name}.{part}", width, shape.hidden_size, component, cut=0, bias=bias)
    ]
    return tensors + _linear(f"{name}.down_proj", shape.hidden_size, width, component, cut=1, bias=bias)


def _experts(shape: Architecture) -> list[Tensor]:
    """Routed experts, of which a token visits a few, and shared ones that all visit (arXiv:2401.06066, section 3)."""
    name, hidden = LAYER + "mlp", shape.hidden_size
    tensors = _linear(f"{name}.gate", shape.num_experts, hidden, "router", cut=None, bias=shape.router_bias)
    for one in _mlp(shape, f"{name}.experts.*", shape.moe_intermediate_size, "experts", shape.expert_bias):
        many = {"copies": shape.num_experts, "used": shape.num_experts_per_tok}
        tensors.append(Tensor(name=one.name, shape=one.shape, component=one.component, tp_dim=one.tp_dim, **many))
    if shape.shared_intermediate_size:
        width = shape.shared_intermediate_size
        tensors += _mlp(shape, f"{name}.shared_experts", width, "experts", shape.mlp_bias)
    if shape.shared_expert_gate:
        tensors += _linear(f"{name}.shared_expert_gate", 1, hidden, "router", cut=None)
    return tensors
