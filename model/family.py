"""How a config.json of one family is read, and what many families share."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """How a config.json of one ``model_type`` is read.

    ``reads``     neutral field -> its default when the config leaves it out
    ``names``     neutral field -> the config's names for it, where they differ; the first is used in errors
    ``fixed``     neutral fields that the family always has so
    ``only``      fields that would change the shape, with the one value that is modelled
    ``rules``     names of the functions in ``config.py`` that derive what is left
    ``alternate`` every how many layers one has full attention, the others a sliding window; 0: all slide
    """

    reads: dict
    names: dict = field(default_factory=dict)
    fixed: dict = field(default_factory=dict)
    only: dict = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    alternate: int = 0


ABSENT = object()  # the family has no such field


def sizes(
    h: object, f: object, layers: object, a: object, k: object, v: object, context: object, **more: object
) -> dict:
    """The fields that almost every family has, without those that are ``ABSENT``; ``more`` adds others."""
    usual = {
        "vocab_size": v,
        "hidden_size": h,
        "intermediate_size": f,
        "num_hidden_layers": layers,
        "num_attention_heads": a,
        "num_key_value_heads": k,
        "max_position_embeddings": context,
        "tie_word_embeddings": False,
    }
    return {name: default for name, default in {**usual, **more}.items() if default is not ABSENT}


BIASED = {"attn_qkv_bias": "attention_bias", "attn_o_bias": "attention_bias"}
ATTENTION_BIAS = {"attn_qkv_bias": False, "attn_o_bias": False}
ALL_BIASES = {"attn_qkv_bias": True, "attn_o_bias": True, "mlp_bias": True}
PLAIN = {"norm": "layernorm", "gated": False}
EXPERTS = {"num_experts": "num_experts|num_local_experts"}
ROUTED = {"num_experts": "n_routed_experts|num_local_experts|num_experts"}
