"""What one parameter costs in bytes: the recipe of a mixed-precision training run.

Calculators disagree by a factor of two and more because they hide this choice, so here it is an input
with named presets. The lesson's 16 bytes are the sum of a preset's parts; the number itself is written nowhere.
"""

from dataclasses import dataclass
from fractions import Fraction

from .errors import Invalid, unknown_value

# Bytes of one number in each format (fp32, fp16: IEEE 754-2019; bfloat16: Kalamkar et al. 2019, arXiv:1905.12322).
FP32 = 4
HALF = 2

# Moments an optimizer keeps for each parameter, and the bytes of one where the optimizer fixes them itself.
# adamw: first and second moment (Kingma & Ba 2015, arXiv:1412.6980). adam-8bit: two moments in 8 bits each
# (Dettmers et al. 2022, arXiv:2110.02861). lion: one (Chen et al. 2023, arXiv:2302.06675).
MOMENTS = {
    "adamw": (2, None),
    "adam-8bit": (2, 1),
    "sgd": (0, None),
    "sgd-momentum": (1, None),
    "lion": (1, None),
}
# These keep one vector a row or a column, or treat matrices apart: their cost depends on the shape of each tensor.
SHAPED_OPTIMIZERS = ("adafactor", "muon")
OPTIMIZERS = (*MOMENTS, *SHAPED_OPTIMIZERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A framework's habit: bytes for each part, the ZeRO stages it runs, and from which stage each part is sharded."""

    weight_bytes: int
    gradient_bytes: int
    master_bytes: int
    moment_bytes: int  # one moment
    stages: tuple[int, ...]  # ZeRO stages that it runs
    shards_optimizer_from: int = 1  # ZeRO stage
    shards_gradients_from: int = 2  # ZeRO stage
    shards_weights_from: int = 3  # ZeRO stage
    freed_with_zero_bytes: int = 0  # gradient bytes given back between steps when the optimizer is sharded
    source: str


PRESETS = {
    "zero-paper": Preset(
        weight_bytes=HALF,
        gradient_bytes=HALF,
        master_bytes=FP32,
        moment_bytes=FP32,
        stages=(0, 1, 2, 3),
        source="Rajbhandari et al. 2020, ZeRO, section 3.1 (arXiv:1910.02054)",
    ),
    "ddp-amp": Preset(
        weight_bytes=FP32,
        gradient_bytes=FP32,
        master_bytes=0,
        moment_bytes=FP32,
        stages=(0, 1),
        source="PyTorch, torch.amp.autocast: weights stay fp32, so they are their own master copy",
    ),
    "fsdp2": Preset(
        weight_bytes=FP32,
        gradient_bytes=FP32,
        master_bytes=0,
        moment_bytes=FP32,
        stages=(2, 3),
        shards_gradients_from=2,
        shards_weights_from=2,
        source="PyTorch, fully_shard with MixedPrecisionPolicy: the fp32 shard is the master copy",
    ),
    "megatron": Preset(
        weight_bytes=HALF,
        gradient_bytes=FP32,
        master_bytes=FP32,
        moment_bytes=FP32,
        stages=(0, 1),
        source="Megatron-LM, distributed optimizer: 18 bytes a parameter, 6 + 12/d when it is sharded",
    ),
    "deepspeed": Preset(
        weight_bytes=HALF,
        gradient_bytes=HALF,
        master_bytes=FP32,
        moment_bytes=FP32,
        stages=(0, 1, 2, 3),
        source="DeepSpeed, ZeRO documentation; its gradient buckets come on top",
    ),
    "nanotron": Preset(
        weight_bytes=HALF,
        gradient_bytes=HALF + FP32,
        master_bytes=FP32,
        moment_bytes=FP32,
        stages=(0, 1),
        freed_with_zero_bytes=HALF,
        source="nanotron, fp32 gradient accumulation beside the half-precision gradients",
    ),
    "pure-bf16": Preset(
        weight_bytes=HALF,
        gradient_bytes=HALF,
        master_bytes=0,
        moment_bytes=HALF,
        stages=(0, 1, 2, 3),
        source="Everything in bfloat16, no master copy (PyTorch, AdamW on a bf16 model)",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Bytes that one parameter costs, part by part, and which parts a ZeRO stage shards over the replicas."""

    preset: str
    optimizer: str
    weight_bytes: int
    gradient_bytes: int
    master_bytes: int
    moment_bytes: int | None  # all moments together; None where they depend on the shape of each tensor
    trainable: Fraction = Fraction(1)  # share of the parameters that is trained
    moment_unit_bytes: int = FP32  # one number of a moment that depends on the shape

    @classmethod
    def from_plan(cls, fields: dict, *, shapes: bool = False) -> "Recipe":
        """The recipe a plan's ``recipe`` object describes; a null byte count means the preset's.

        ``shapes``: whether the shapes of the model's tensors are known. Raises ``Invalid`` for an unknown preset, and
        for an optimizer whose cost needs the model's tensor shapes.
        """
        preset = preset_named(fields["preset"])
        name = fields["optimizer"]
        by_shape = name in SHAPED_OPTIMIZERS and fields["moment_bytes"] is None
        if name in SHAPED_OPTIMIZERS and not shapes:
            message = (
                f"{name} keeps its state by tensor shape, which a bare parameter count does not have; "
                f"choose one of: {', '.join(MOMENTS)}"
            )
            raise Invalid("recipe.optimizer", "not_supported", {"value": name, "allowed": list(MOMENTS)}, message)
        count, own_bytes = MOMENTS.get(name, (0, None))
        moments = count * (preset.moment_bytes if own_bytes is None else own_bytes)
        return cls(
            preset=fields["preset"],
            optimizer=name,
            weight_bytes=_or_preset(fields["weight_bytes"], preset.weight_bytes),
            gradient_bytes=_or_preset(fields["gradient_bytes"], preset.gradient_bytes),
            master_bytes=_or_preset(fields["master_bytes"], preset.master_bytes),
            moment_bytes=None if by_shape else _or_preset(fields["moment_bytes"], moments),
            trainable=Fraction(str(fields["trainable"])),
            moment_unit_bytes=preset.moment_bytes,
        )

    @property
    def optimizer_bytes(self) -> int:
        """Master copy and moments: all that only the optimizer step needs."""
        return self.master_bytes + self.moment_bytes

    @property
    def total_bytes(self) -> int:
        """All bytes of one trained parameter on an unsharded GPU. For zero-paper: 2 + 2 + (4 + 4 + 4)."""
        return self.weight_bytes + self.gradient_bytes + self.optimizer_bytes

    def freed_bytes(self, zero: int) -> int:
        """Gradient bytes that are held at the peak but not between steps."""
        return min(self.gradient_bytes, PRESETS[self.preset].freed_with_zero_bytes) if zero >= 1 else 0

    def shards(self, part: str, zero: int) -> bool:
        """Whether a ZeRO stage deals this part (``weights``, ``gradients`` or ``optimizer``) over the replicas."""
        return zero >= getattr(PRESETS[self.preset], f"shards_{part}_from")


def preset_named(name: str) -> Preset:
    """The preset with this name; raises ``Invalid`` with the nearest name otherwise."""
    if name not in PRESETS:
        raise unknown_value("recipe.preset", name, PRESETS)
    return PRESETS[name]


def named(preset: str, optimizer: str = "adamw") -> Recipe:
    """A preset's recipe with nothing overridden: ``named("zero-paper").total_bytes`` is the lesson's 16."""
    nulls = dict.fromkeys(("weight_bytes", "gradient_bytes", "master_bytes", "moment_bytes"))
    return Recipe.from_plan({"preset": preset, "optimizer": optimizer, "trainable": 1, **nulls})


def _or_preset(value: int | None, preset_value: int) -> int:
    return preset_value if value is None else value
