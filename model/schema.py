"""The fields of a plan: their types, ranges and defaults. One table, read once, so that nothing is checked twice."""

from dataclasses import dataclass

from .catalog import gpu_named
from .errors import Invalid, shown, unknown_field, unknown_value
from .layout import Layout
from .links import link_named
from .recipe import OPTIMIZERS, PRESETS, Recipe

REQUIRED = object()
# Every stage is reported by itself; no model has as many layers.
MOST_STAGES = 4096
MOST_VIRTUAL = 256  # what a rank holds is looked at for every pair of its chunks
MOST_PADDING = 2**20  # no vocabulary is as large
MOST_TOKENS = 10**15
NO_LIMIT = float("inf")
EXACT = 2**53  # JSON numbers beyond are not the same everywhere (RFC 8259, section 6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a plan. ``kind`` names the reader below; null is legal where the default is null."""

    kind: str
    default: object = REQUIRED
    allowed: tuple[str, ...] = ()
    least: float | None = None  # in the unit of the field
    most: float | None = None  # in the unit of the field

    def read(self, path: str, value: object) -> object:
        """The value, checked; raises ``Invalid`` with the field's path and what to change."""
        if value is None:
            if self.default is None:
                return None
            raise Invalid(path, "wrong_type", {"value": None}, "it must not be null")
        return getattr(self, f"_read_{self.kind}")(path, value)

    def _read_int(self, path: str, value: object) -> int:
        number = self._read_number(path, value)
        if number != int(number):
            raise Invalid(path, "wrong_type", {"value": value}, f"it must be a whole number, not {shown(value)}")
        return int(number)

    def _read_number(self, path: str, value: object) -> int | float:
        # Comparing is exact for whole numbers of any size, and false for NaN and infinity.
        if isinstance(value, bool) or not isinstance(value, int | float) or not -NO_LIMIT < value < NO_LIMIT:
            raise Invalid(path, "wrong_type", {"value": shown(value)}, f"it must be a number, not {shown(value)}")
        if (self.least is not None and value < self.least) or (self.most is not None and value > self.most):
            bound = f"at least {self.least}" if self.most is None else f"from {self.least} to {self.most}"
            plain = value if -EXACT < value < EXACT else shown(value)
            limits = {"value": plain, "least": self.least, "most": self.most}
            raise Invalid(path, "out_of_range", limits, f"it must be {bound}; it is {shown(value)}")
        return value

    def _read_bool(self, path: str, value: object) -> bool:
        if not isinstance(value, bool):
            raise Invalid(path, "wrong_type", {"value": shown(value)}, f"it must be true or false, not {shown(value)}")
        return value

    def _read_token(self, path: str, value: object) -> str:
        if value not in self.allowed:
            raise unknown_value(path, value, self.allowed)
        return value

    def _read_gpu(self, path: str, value: object) -> str:
        return gpu_named(value, path).name

    def _read_link(self, path: str, value: object) -> str:
        return link_named(value, path).name

    def _read_ints(self, path: str, value: object) -> list[int]:
        if not isinstance(value, list):
            message = f"it must be a list of whole numbers, not {shown(value)}"
            raise Invalid(path, "wrong_type", {"value": shown(value)}, message)
        return [self._read_int(f"{path}[{index}]", item) for index, item in enumerate(value)]


def _count(default: object = 1, least: int = 1, most: int = 10**12) -> Field:
    return Field(kind="int", default=default, least=least, most=most)


def _token(default: object, *allowed: str) -> Field:
    return Field(kind="token", default=default, allowed=allowed)


def _bytes() -> Field:
    return Field(kind="int", default=None, least=0, most=64)


# null means the preset's, or that the model's own value is used.
SECTIONS = {
    "cluster": {
        "gpu": Field(kind="gpu"),
        "gpus": Field(kind="int", least=1, most=10**7),
        "gpus_per_node": _count(8),
        "intra": Field(kind="link", default="nvlink4"),
        "inter": Field(kind="link", default="ib-400"),
    },
    "layout": {
        "dp": _count(None),
        "tp": _count(),
        "pp": _count(most=MOST_STAGES),
        "cp": _count(),
        "ep": _count(),
        "etp": _count(),
        "vpp": _count(most=MOST_VIRTUAL),
        "zero": Field(kind="int", default=None, least=0, most=3),
        "shard_group": _count(None),
        "sequence_parallel": Field(kind="bool", default=False),
        "stage_layers": Field(kind="ints", default=None, least=0, most=10**6),
        "vocab_multiple": _count(most=MOST_PADDING),
    },
    "recipe": {
        "preset": _token("zero-paper", *PRESETS),
        "optimizer": _token("adamw", *OPTIMIZERS),
        "step": _token("foreach", "foreach", "fused"),
        "trainable": Field(kind="number", default=1.0, least=0, most=1),
        "offload": _token("none", "none", "optimizer", "optimizer+weights"),
        "weight_bytes": _bytes(),
        "gradient_bytes": _bytes(),
        "master_bytes": _bytes(),
        "moment_bytes": _bytes(),
        "reduce_bytes": Field(kind="int", default=None, least=1, most=64),
        "compute": _token("bf16", "bf16", "fp16", "fp32", "fp8"),
        "bucket": _count(None),
        "bucket_view": Field(kind="bool", default=True),
        "gradient_fusion": Field(kind="bool", default=None),
        "overlap": Field(kind="bool", default=True),
        "wrap": _token("layer", "layer", "layer+root-apart", "whole"),
    },
    "batch": {
        "seq": _count(None),
        "micro_batch": _count(),
        "global_batch": _count(None),
        "total_tokens": _count(None, most=MOST_TOKENS),
    },
    "activation": {
        "recompute": _token("none", "none", "selective", "op-selective", "full"),
        "recompute_layers": _count(None, least=0),
        "attention": _token("flash", "flash", "eager"),
        "implementation": _token("torch", "torch", "torch-eager", "megatron", "megatron-te", "nanotron", "hf-eager"),
        "compile": Field(kind="bool", default=False),
        "dropout": Field(kind="number", default=0.0, least=0, most=1),
        "loss": _token("eager", "eager", "fused", "chunked"),
        "expert_balance": Field(kind="number", default=1.0, least=1, most=10**6),
    },
    "schedule": {
        "kind": _token("1f1b", "gpipe", "1f1b", "interleaved", "zb-h1", "zb-v", "dualpipe-v"),
        "forward": Field(kind="number", default=1, least=0, most=10**9),
        "backward": Field(kind="number", default=2, least=0, most=10**9),
        "weight": Field(kind="number", default=1, least=0, most=10**9),
    },
    "flops": {"attention": _token("full", "full", "causal")},
}


def read_section(name: str, given: object) -> dict:
    """One section of a plan with every default filled in; raises ``Invalid`` naming the first wrong field."""
    fields = SECTIONS[name]
    if not isinstance(given, dict):
        raise Invalid(name, "wrong_type", {"value": shown(given)}, f"it must be an object, not {shown(given)}")
    for key in given:
        if key not in fields:
            raise unknown_field(f"{name}.{key}", fields)
    read = {}
    for key, field in fields.items():
        if key in given:
            read[key] = field.read(f"{name}.{key}", given[key])
        elif field.default is REQUIRED:
            raise Invalid(f"{name}.{key}", "missing_field", {}, "it is required; add it to the plan")
        else:
            read[key] = field.default
    return read


def understood(sections: dict, layout: Layout, recipe: Recipe) -> dict:
    """The plan's sections with the derived fields filled in."""
    filled = {name: dict(fields) for name, fields in sections.items()}
    filled["layout"].update(dp=layout.dp, zero=layout.zero)
    for key in ("weight_bytes", "gradient_bytes", "master_bytes", "moment_bytes"):
        filled["recipe"][key] = getattr(recipe, key)
    batch = filled["batch"]
    if batch["global_batch"] is None:
        batch["global_batch"] = layout.dp * batch["micro_batch"]
    return filled
