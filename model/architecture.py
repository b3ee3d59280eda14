"""A transformer's shape: all that is needed to list its tensors, in field names that no framework owns.

hidden_size h          width of the residual stream
intermediate_size f    width of a dense MLP; gated: three matrices instead of two
num_attention_heads a  query heads; num_key_value_heads k <= a of them have keys and values of their own
norm                   rms keeps h numbers, layernorm 2h (h without norm_bias)
qk_norm                per_head: one norm of head_dim for all heads; full: one over the whole projection
mla                    multi-head latent attention: q and k/v pass through narrow matrices of their own
dense_layers           layers of a mixture of experts that have a dense MLP instead
sliding_layers         layers whose attention sees only the last sliding_window tokens
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass

from .errors import unknown_field
from .reading import Reader
from .shape import FIELDS, completed


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """The shape of a decoder-only transformer. Sizes are numbers of elements; layers are counted from 0."""

    vocab_size: int  # V, rows of the embedding before any padding
    hidden_size: int  # h
    num_hidden_layers: int
    num_attention_heads: int  # a
    num_key_value_heads: int  # k, at most a
    head_dim: int  # elements of a query and a key
    v_head_dim: int  # elements of a value
    intermediate_size: int  # f of a dense layer; 0 where every layer is a mixture of experts
    gated: bool  # three matrices in the MLP, else two
    mlp_bias: bool
    norm: str  # rms or layernorm
    norm_bias: bool
    norms_per_layer: int  # norms in a layer, those of q and k not counted
    final_norm: bool
    embed_layernorm: bool
    embedding_size: int  # h, but for a model that projects a narrower embedding up and down again
    pos_embed_rows: int  # 0 without learned positions
    tie_word_embeddings: bool
    head_bias: bool
    attn_qkv_bias: bool
    attn_o_bias: bool
    attn_sinks: bool
    qk_norm: str | None
    mla: bool
    q_lora_rank: int | None  # elements of a compressed query; None where queries are not compressed
    kv_lora_rank: int | None  # elements of a compressed key and value, under multi-head latent attention
    qk_nope_head_dim: int | None  # elements of a head that carry no position
    qk_rope_head_dim: int | None  # elements of a head that are rotated by position
    num_experts: int  # routed experts of a layer; 0 for a dense model
    num_experts_per_tok: int  # routed experts that a token visits
    moe_intermediate_size: int  # of one routed expert
    shared_intermediate_size: int  # of all shared experts together
    shared_expert_gate: bool
    expert_bias: bool
    router_bias: bool
    router_correction_bias: bool  # a buffer that balances the experts: never a parameter
    dense_layers: tuple[int, ...]  # the layers without a mixture of experts
    sliding_window: int | None  # tokens that a sliding layer sees
    sliding_layers: tuple[int, ...]  # the layers with that window
    max_position_embeddings: int | None  # tokens of the model's own context, where it is known

    @classmethod
    def from_neutral(cls, given: object, path: str = "architecture") -> "Architecture":
        """Reads the neutral form, an object of this record's fields; one left out means what ``FIELDS`` says.

        Raises ``Invalid`` with the path of an unknown field, a wrong value or numbers that clash.
        """
        reader = Reader(given, path)
        for name in reader.given:
            if name not in FIELDS:
                raise unknown_field(reader.at(name), FIELDS)
        return cls.from_shape(
            {name: field.read(reader, name, field.default) for name, field in FIELDS.items()}, reader.at
        )

    @classmethod
    def from_shape(cls, shape: dict, at: Callable[[str], str]) -> "Architecture":
        """The record of a read shape; ``at(field)`` is what its reader calls a field. Raises ``Invalid``."""
        return cls(**completed(shape, at))

    def is_moe(self, layer: int) -> bool:
        """Whether a layer is a mixture of experts."""
        return bool(self.num_experts) and layer not in self.dense_layers

    def window_of(self, layer: int) -> int | None:
        """How many tokens a layer's attention sees at most; None for all."""
        return self.sliding_window if layer in self.sliding_layers else None

    def as_dict(self) -> dict:
        """The neutral form, every field filled in; reading it back gives the same record."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
