"""A Hugging Face config.json read as an architecture: the family by ``model_type``, then its fields.

An unknown family, or a value that would give the family a shape that is not modelled, is an error that names the
field. Fields that do not change the shape are ignored, and listed.
"""

from typing import NamedTuple

from .architecture import Architecture
from .errors import Invalid, shown, unknown_value
from .families import FAMILIES
from .family import Family
from .reading import REQUIRED, Reader
from .shape import FIELDS

# A head for classification or reward is another tensor than the language model's.
LANGUAGE_MODEL_ENDINGS = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
# Fields of every config that would change the shape, with the value that leaves it.
PLAIN_DECODER = {"is_encoder_decoder": False, "add_cross_attention": False, "pruned_heads": {}}
WINDOWS = ("full_attention", "sliding_attention")


class Config(NamedTuple):
    """What a config.json says: a shape, the fields of it that were ignored, and what the family's defaults filled in."""

    architecture: Architecture
    ignored: tuple[str, ...]
    defaulted: (
        dict  # the config's own name of a field that it leaves out -> the family's default, where it is not nothing
    )


def read_config(given: object, path: str = "") -> Config:
    """The architecture that a config.json describes.

    ``given``: the JSON object; ``path``: where it stands, for errors. Raises ``Invalid``.
    """
    outer = Reader(given, path)
    family = _family(outer)
    _check_heads(outer)
    readers = [outer]
    if outer.given["model_type"] == "gemma3":
        readers.append(Reader(outer.get("text_config", {}), outer.at("text_config")))
        readers[-1].token("model_type", ("gemma3_text",), "gemma3_text")
        _only(outer, {"tie_word_embeddings": True})
    _only(readers[-1], PLAIN_DECODER | family.only)
    config = _Config(readers[-1], family)
    shape = {name: config.read(name) for name in family.reads} | family.fixed
    for rule in family.rules:
        readers += RULES[rule](config, shape) or ()
    _windows(config, shape)
    architecture = Architecture.from_shape(shape, config.at)
    ignored = tuple(_below(reader, path) + name for reader in readers for name in reader.unread())
    return Config(architecture, ignored, config.defaulted(shape, _below(config.reader, path)))


class _Config:
    """A config's fields under their neutral names."""

    def __init__(self, reader: Reader, family: Family) -> None:
        self.reader = reader
        self.family = family

    def own_name(self, name: str) -> str:
        """What this config calls a neutral field: the name it uses, else the family's first."""
        names = self.family.names.get(name, name).split("|")
        present = [one for one in names if one in self.reader.given]
        for one in present[1:]:
            first, second = self.reader.get(present[0]), self.reader.get(one)
            if not (isinstance(first, int) and isinstance(second, int) and first == second):
                message = f"it is {shown(second)}, but {present[0]} is {shown(first)}; they mean the same, keep one"
                values = {one: shown(second), present[0]: shown(first)}
                raise Invalid(self.reader.at(one), "contradiction", values, message)
        return (present or names)[0]

    def at(self, name: str) -> str:
        """The path of a neutral field, in the config's own words."""
        return self.reader.at(self.own_name(name))

    def read(self, name: str) -> object:
        """The value of a neutral field, or the family's default."""
        return FIELDS[name].read(self.reader, self.own_name(name), self.family.reads[name])

    def defaulted(self, shape: dict, below: str) -> dict:
        """The family's defaults that stand in ``shape`` for fields that are absent, but for null, 0 and false."""
        return {
            below + self.own_name(name): default
            for name, default in self.family.reads.items()
            if default and self.own_name(name) not in self.reader.given and shape.get(name) == default
        }


def _family(reader: Reader) -> Family:
    name = reader.get("model_type", REQUIRED)
    if not isinstance(name, str) or name not in FAMILIES:
        raise unknown_value(reader.at("model_type"), name, FAMILIES)
    return FAMILIES[name]


def _check_heads(reader: Reader) -> None:
    classes = reader.get("architectures")
    if classes in (None, []):
        return
    path = reader.at("architectures")
    if not isinstance(classes, list) or not isinstance(classes[0], str):
        message = f"it must be a list of class names, not {shown(classes)}"
        raise Invalid(path, "wrong_type", {"value": shown(classes)}, message)
    if not classes[0].endswith(LANGUAGE_MODEL_ENDINGS):
        message = f"{shown(classes[0])} is not a causal language model: its head is not modelled"
        values = {"value": shown(classes[0]), "allowed": list(LANGUAGE_MODEL_ENDINGS)}
        raise Invalid(path, "not_supported", values, message)


def _only(reader: Reader, only: dict) -> None:
    for name, modelled in only.items():
        value = reader.get(name)
        if value is not None and value != modelled:
            message = f"{shown(value)} changes the shape in a way that is not modelled; only {shown(modelled)} is"
            values = {"value": shown(value), "allowed": [shown(modelled)]}
            raise Invalid(reader.at(name), "not_supported", values, message)


def _below(reader: Reader, path: str) -> str:
    """The prefix of a nested object's fields, relative to the config."""
    inner = reader.path.removeprefix(path).removeprefix(".")
    return f"{inner}." if inner else ""


def _windows(config: _Config, shape: dict) -> None:
    """Which layers slide: as listed in ``layer_types``, else by the family's rule."""
    layers, types = shape["num_hidden_layers"], config.reader.get("layer_types")
    if types is not None:
        path = config.reader.at("layer_types")
        if not isinstance(types, list) or len(types) != layers:
            message = f"it must list {layers} layers, one for each of num_hidden_layers; it is {shown(types)}"
            raise Invalid(path, "contradiction", {"value": shown(types), "layers": layers}, message)
        for index, kind in enumerate(types):
            if not isinstance(kind, str) or kind not in WINDOWS:
                raise unknown_value(f"{path}[{index}]", kind, WINDOWS)
        shape["sliding_layers"] = [index for index, kind in enumerate(types) if kind == "sliding_attention"]
    elif config.family.alternate and "sliding_layers" not in shape:
        shape["sliding_layers"] = [layer for layer in range(layers) if (layer + 1) % config.family.alternate]
    if not shape.get("sliding_window"):
        shape["sliding_layers"] = None


def _window_pattern(config: _Config, shape: dict) -> None:
    every = config.reader.whole("sliding_window_pattern", config.family.alternate)
    shape["sliding_layers"] = [layer for layer in range(shape["num_hidden_layers"]) if (layer + 1) % every]


def _optional_window(config: _Config, shape: dict) -> None:
    if not config.reader.flag("use_sliding_window", False):
        shape["sliding_window"] = None


def _late_window(config: _Config, shape: dict) -> None:
    first = config.reader.whole("max_window_layers", 28, least=0)
    shape["sliding_layers"] = [layer for layer in range(shape["num_hidden_layers"]) if layer >= first]


def _early_window(config: _Config, shape: dict) -> None:
    end = config.reader.whole("max_window_layers", 28, least=0)
    shape["sliding_layers"] = [layer for layer in range(shape["num_hidden_layers"]) if layer < end and not layer % 2]


def _sparse_step(config: _Config, shape: dict) -> None:
    step = config.reader.whole("decoder_sparse_step", 1)
    dense = set(config.reader.wholes("mlp_only_layers", None) or ())
    shape["dense_layers"] = [
        layer for layer in range(shape["num_hidden_layers"]) if (layer + 1) % step or layer in dense
    ]


def _four_times(config: _Config, shape: dict) -> None:
    shape["intermediate_size"] = shape.get("intermediate_size") or 4 * shape["hidden_size"]


def _learned_positions(config: _Config, shape: dict) -> None:
    context = shape["max_position_embeddings"]
    if context is None:
        path = config.at("max_position_embeddings")
        raise Invalid(path, "wrong_type", {"value": None}, "it must not be null: each position has an embedding")
    shape["pos_embed_rows"] = context


def _opt(config: _Config, shape: dict) -> None:
    """OPT keeps two more positions than its context (modeling_opt.py, OPTLearnedPositionalEmbedding)."""
    shape["pos_embed_rows"] += 2
    first = config.reader.flag("do_layer_norm_before", True)
    shape["final_norm"] = not config.reader.flag("_remove_final_layer_norm", False) and first


def _falcon(config: _Config, shape: dict) -> None:
    """Falcon-7B: one key/value head, one norm; its new decoder: groups, two norms (modeling_falcon.py)."""
    new = config.reader.flag("new_decoder_architecture", False)
    many = config.reader.flag("multi_query", True)
    if not new:
        shape["num_key_value_heads"] = 1 if many else None
    norms = config.reader.whole("num_ln_in_parallel_attn", None, most=2) or (2 if new else 1)
    shape["norms_per_layer"] = norms if config.reader.flag("parallel_attn", True) else 2


def _parallel_norms(config: _Config, shape: dict) -> None:
    """StableLM: attention and MLP side by side share one norm (modeling_stablelm.py)."""
    shape["norms_per_layer"] = 1 if config.reader.flag("use_parallel_residual", False) else 2


def _optional_qk_norm(config: _Config, shape: dict) -> None:
    shape["qk_norm"] = "per_head" if config.reader.flag("use_qk_norm", False) else None


def _mpt(config: _Config, shape: dict) -> list[Reader]:
    """MPT as MosaicML's own code builds it: biases and learned positions follow their fields.

    Source: llm-foundry, llmfoundry/models/mpt/modeling_mpt.py; transformers builds the shape of the published
    checkpoints alone, without either.
    """
    reader = config.reader
    attention = Reader(reader.get("attn_config") or {}, reader.at("attn_config"))
    _only(attention, {"qk_ln": False, "qk_gn": False})
    kinds = ("multihead_attention", "multiquery_attention", "grouped_query_attention")
    kind = attention.token("attn_type", kinds, kinds[0])
    if kind != kinds[0]:
        shape["num_key_value_heads"] = 1 if kind == kinds[1] else attention.whole("kv_n_heads")
    placed = attention.flag("alibi", True) or attention.flag("rope", False)
    if reader.flag("learned_pos_emb", True) and not placed:
        _learned_positions(config, shape)
    biased = not reader.flag("no_bias", True)
    shape.update(dict.fromkeys(("attn_qkv_bias", "attn_o_bias", "mlp_bias", "norm_bias"), biased))
    shape["intermediate_size"] = reader.whole("expansion_ratio", 4, most=1000) * shape["hidden_size"]
    reader.token("norm_type", ("low_precision_layernorm", "layernorm"), "low_precision_layernorm")
    feed_forward = Reader(reader.get("ffn_config") or {}, reader.at("ffn_config"))
    feed_forward.token("ffn_type", ("mptmlp",), "mptmlp")
    return [attention, feed_forward]


RULES = {
    "window_pattern": _window_pattern,
    "optional_window": _optional_window,
    "late_window": _late_window,
    "early_window": _early_window,
    "sparse_step": _sparse_step,
    "four_times": _four_times,
    "learned_positions": _learned_positions,
    "opt": _opt,
    "falcon": _falcon,
    "parallel_norms": _parallel_norms,
    "optional_qk_norm": _optional_qk_norm,
    "mpt": _mpt,
}
