"""The fields that describe a transformer's shape: how each is read, and the rules that tie them to each other."""

from collections.abc import Callable
from dataclasses import dataclass

from .errors import Invalid, shown
from .reading import REQUIRED, Reader

MOST_LAYERS = 10_000  # a limit on nonsense: layers are listed one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """How one field is read: what ``kind`` of value, its range, its default, and whether null is a value of it."""

    kind: str  # whole, flag, wholes, or the words that are allowed
    default: object = REQUIRED
    nullable: bool = False
    least: int = 0  # of a whole number
    most: int = 10**9  # of a whole number

    def read(self, reader: Reader, name: str, default: object) -> object:
        """The value of the reader's field ``name``; ``default`` where it is absent."""
        if self.nullable and (default is None or reader.get(name, default) is None):
            default = None
        if self.kind == "whole":
            return reader.whole(name, default, least=self.least, most=self.most)
        if self.kind == "flag":
            return reader.flag(name, default)
        if self.kind == "wholes":
            return reader.wholes(name, default)
        return reader.token(name, self.kind.split(), default)


def _maybe(kind: str = "whole", least: int = 1) -> Field:
    return Field(kind=kind, default=None, nullable=True, least=least)


_SIZE = Field(kind="whole", least=1)
_NONE = Field(kind="whole", default=0)
_NO = Field(kind="flag", default=False)
_YES = Field(kind="flag", default=True)

# The neutral form. Null, or a field left out, means: as many key/value heads as heads; head_dim h / a; biases in a
# layernorm; all layers dense, all layers slide if there is a window.
FIELDS = {
    "vocab_size": _SIZE,
    "hidden_size": _SIZE,
    "num_hidden_layers": Field(kind="whole", least=1, most=MOST_LAYERS),
    "num_attention_heads": _SIZE,
    "num_key_value_heads": _maybe(),
    "head_dim": _maybe(),
    "v_head_dim": _maybe(),
    "intermediate_size": _NONE,
    "gated": _YES,
    "mlp_bias": _NO,
    "norm": Field(kind="rms layernorm", default="rms"),
    "norm_bias": _maybe("flag"),
    "norms_per_layer": Field(kind="whole", default=2, most=8),
    "final_norm": _YES,
    "embed_layernorm": _NO,
    "embedding_size": _maybe(),
    "pos_embed_rows": _NONE,
    "tie_word_embeddings": _NO,
    "head_bias": _NO,
    "attn_qkv_bias": _NO,
    "attn_o_bias": _NO,
    "attn_sinks": _NO,
    "qk_norm": _maybe("per_head full"),
    "mla": _NO,
    "q_lora_rank": _maybe(),
    "kv_lora_rank": _maybe(),
    "qk_nope_head_dim": _maybe(),
    "qk_rope_head_dim": _maybe(),
    "num_experts": _NONE,
    "num_experts_per_tok": _NONE,
    "moe_intermediate_size": _NONE,
    "n_shared_experts": _NONE,
    "shared_intermediate_size": _NONE,
    "shared_expert_gate": _NO,
    "expert_bias": _NO,
    "router_bias": _NO,
    "router_correction_bias": _NO,
    "first_k_dense_replace": _NONE,
    "dense_layers": _maybe("wholes"),
    "sliding_window": _maybe(),
    "sliding_layers": _maybe("wholes"),
    "max_position_embeddings": _maybe(),
}
DEFAULTS = {name: field.default for name, field in FIELDS.items() if field.default is not REQUIRED}
# What says something only about experts, or only about latent attention.
EXPERT_FIELDS = (
    "num_experts_per_tok",
    "moe_intermediate_size",
    "n_shared_experts",
    "shared_intermediate_size",
    "shared_expert_gate",
    "expert_bias",
    "router_bias",
    "router_correction_bias",
    "first_k_dense_replace",
    "dense_layers",
)
LATENT_FIELDS = ("q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim")


def completed(shape: dict, at: Callable[[str], str]) -> dict:
    """The shape with every field that follows from others; raises ``Invalid`` where the numbers clash.

    ``shape``: values of ``FIELDS``, each read and in range. ``at(field)``: what the reader calls that field.
    """
    shape = {**DEFAULTS, **shape}
    check = _Check(shape, at)
    check.belong("num_experts", EXPERT_FIELDS)
    check.belong("mla", LATENT_FIELDS)
    layers, experts = shape["num_hidden_layers"], shape["num_experts"]
    if shape["mla"]:
        check.latent_attention()
    else:
        check.heads()
    if experts:
        check.experts()
    elif not shape["intermediate_size"]:
        raise Invalid(at("intermediate_size"), "missing_field", {}, "it is required unless all layers have experts")
    check.belong("sliding_window", ("sliding_layers",))
    sliding = range(layers if shape["sliding_window"] else 0)
    first_dense = shape.pop("first_k_dense_replace")
    shared = shape.pop("n_shared_experts")
    shape.update(
        norm_bias=shape["norm"] == "layernorm" if shape["norm_bias"] is None else shape["norm_bias"],
        embedding_size=shape["embedding_size"] or shape["hidden_size"],
        dense_layers=check.layer_list("dense_layers", range(first_dense) if experts else ()),
        sliding_layers=check.layer_list("sliding_layers", sliding),
        shared_intermediate_size=shape["shared_intermediate_size"] or shared * shape["moe_intermediate_size"],
    )
    return shape


class _Check:
    """The rules that tie fields to each other; each error names a field as its reader calls it."""

    def __init__(self, shape: dict, at: Callable[[str], str]) -> None:
        self.shape = shape
        self.at = at

    def called(self, name: str) -> str:
        """The reader's own name of a field, without its path."""
        return self.at(name).rpartition(".")[2]

    def heads(self) -> None:
        shape = self.shape
        hidden, heads = shape["hidden_size"], shape["num_attention_heads"]
        if shape["num_key_value_heads"] is None:
            shape["num_key_value_heads"] = heads
        if shape["head_dim"] is None:
            self.divides("hidden_size", hidden, "num_attention_heads", heads)
            shape["head_dim"] = hidden // heads
        self.divides("num_attention_heads", heads, "num_key_value_heads", shape["num_key_value_heads"])
        self.agree("v_head_dim", shape["head_dim"], "head_dim")

    def latent_attention(self) -> None:
        shape = self.shape
        for name in ("kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"):
            if shape[name] is None:
                raise Invalid(self.at(name), "missing_field", {}, "multi-head latent attention needs it; add it")
        if shape["qk_norm"] is not None:
            message = "multi-head latent attention has norms of its own; leave it out"
            raise Invalid(self.at("qk_norm"), "contradiction", {"value": shape["qk_norm"]}, message)
        self.agree("head_dim", shape["qk_nope_head_dim"] + shape["qk_rope_head_dim"], "qk_nope + qk_rope head dims")
        self.agree("num_key_value_heads", shape["num_attention_heads"], "num_attention_heads")

    def experts(self) -> None:
        shape = self.shape
        for name in ("moe_intermediate_size", "num_experts_per_tok"):
            if not shape[name]:
                raise Invalid(self.at(name), "missing_field", {}, "a mixture of experts needs it; add it")
        if shape["num_experts_per_tok"] > shape["num_experts"]:
            numbers = {name: shape[name] for name in ("num_experts_per_tok", "num_experts")}
            message = f"a token visits {shape['num_experts_per_tok']} experts, but there are {shape['num_experts']}"
            raise Invalid(self.at("num_experts_per_tok"), "contradiction", numbers, message)
        dense = shape["first_k_dense_replace"] or (shape["dense_layers"] or ())
        if dense and not shape["intermediate_size"]:
            raise Invalid(self.at("intermediate_size"), "missing_field", {}, "the dense layers need it; add it")
        if shape["first_k_dense_replace"] and shape["dense_layers"] is not None:
            message = "first_k_dense_replace and dense_layers both name the dense layers; leave one out"
            raise Invalid(self.at("dense_layers"), "contradiction", {"value": shown(shape["dense_layers"])}, message)
        if shape["first_k_dense_replace"] > shape["num_hidden_layers"]:
            numbers = {name: shape[name] for name in ("first_k_dense_replace", "num_hidden_layers")}
            message = (
                f"{numbers['first_k_dense_replace']} dense layers, but {numbers['num_hidden_layers']} layers in all"
            )
            raise Invalid(self.at("first_k_dense_replace"), "contradiction", numbers, message)

    def belong(self, owner: str, names: tuple[str, ...]) -> None:
        for name in names:
            if not self.shape[owner] and self.shape[name]:
                message = f"it says something only where {self.called(owner)} is set; set that, or leave this out"
                raise Invalid(self.at(name), "contradiction", {"value": self.shape[name], "needs": owner}, message)

    def divides(self, name: str, value: int, by_name: str, by: int) -> None:
        if value % by:
            message = f"{self.called(by_name)} = {by} does not divide {self.called(name)} = {value}"
            raise Invalid(self.at(name), "not_divisible", {name: value, by_name: by}, message)

    def agree(self, name: str, value: int, says: str) -> None:
        given = self.shape[name]
        if given not in (None, value):
            message = f"it is {given}, but {says} makes it {value}; leave it out, or make it {value}"
            raise Invalid(self.at(name), "contradiction", {"value": given, "expected": value}, message)
        self.shape[name] = value

    def layer_list(self, name: str, otherwise: object) -> tuple[int, ...]:
        given = self.shape[name]
        chosen = tuple(sorted(set(otherwise if given is None else given)))
        layers = self.shape["num_hidden_layers"]
        if chosen and chosen[-1] >= layers:
            message = f"it names layer {chosen[-1]}, but the last of {layers} layers is {layers - 1}"
            raise Invalid(self.at(name), "contradiction", {"layer": chosen[-1], "layers": layers}, message)
        return chosen
