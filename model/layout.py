"""How the GPUs are divided among the splits: validated once, here, and never again."""

from dataclasses import dataclass
from fractions import Fraction

from .errors import Invalid
from .recipe import preset_named


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """gpus = dp x tp x pp x cp, and what the replicas shard.

    ``stage_layers``     layers of each of the pp x vpp stages in order, or None for equal stages
    ``ep``, ``etp``      ranks that experts are dealt over, and ranks that cut one expert; laid over dp x cp x tp
    ``shard_group``      replicas that share one sharded copy (hybrid sharding), or None for all of them
    ``sequence_parallel``  norms and dropouts cut along the sequence by the tensor-parallel ranks
    ``vocab_multiple``   the vocabulary is padded to a multiple of this times tp
    """

    dp: int
    tp: int
    pp: int
    cp: int
    vpp: int
    zero: int
    stage_layers: tuple[int, ...] | None
    ep: int = 1
    etp: int = 1
    shard_group: int | None = None
    sequence_parallel: bool = False
    vocab_multiple: int = 1

    @classmethod
    def from_plan(cls, fields: dict, *, gpus: int, preset: str) -> "Layout":
        """The layout of a plan's ``layout`` object on ``gpus`` GPUs.

        Raises ``Invalid`` when the degrees do not divide the GPUs, when a given dp contradicts them, when the
        preset cannot run the ZeRO stage, and when ``stage_layers`` has another length than pp x vpp.
        """
        tp, pp, cp, vpp = fields["tp"], fields["pp"], fields["cp"], fields["vpp"]
        split = tp * pp * cp
        values = {"tp": tp, "pp": pp, "cp": cp, "gpus": gpus}
        if gpus % split:
            message = (
                f"tp x pp x cp = {tp} x {pp} x {cp} = {split} does not divide {gpus} GPUs; "
                f"change a degree, or use a multiple of {split} GPUs"
            )
            raise Invalid("layout", "not_divisible", values, message)
        dp = gpus // split
        if fields["dp"] not in (None, dp):
            message = (
                f"dp x tp x pp x cp = {fields['dp']} x {tp} x {pp} x {cp} = {fields['dp'] * split}, "
                f"but the cluster has {gpus} GPUs; leave dp out, or make it {dp}"
            )
            raise Invalid("layout.dp", "contradiction", {**values, "dp": fields["dp"]}, message)
        return cls(
            dp=dp,
            tp=tp,
            pp=pp,
            cp=cp,
            vpp=vpp,
            zero=checked_stage(fields["zero"], preset),
            stage_layers=_stage_layers(fields["stage_layers"], pp, vpp),
            **{name: fields[name] for name in ("ep", "etp", "shard_group", "sequence_parallel", "vocab_multiple")},
        )

    @property
    def replicas(self) -> int:
        """Ranks that hold copies of the same weights: the group that ZeRO shards over, never the number of GPUs."""
        return self.dp * self.cp

    @property
    def shard_ranks(self) -> int:
        """Replicas of a dense weight that one sharded copy is dealt over."""
        return self.shard_group or self.replicas

    @property
    def expert_shard_ranks(self) -> int:
        """Replicas of an expert that one sharded copy is dealt over: the expert-data-parallel group."""
        return self.shard_ranks * self.tp // (self.ep * self.etp)

    @property
    def sequence_cut(self) -> int:
        """Ranks that norms, residuals and dropouts are cut over."""
        return self.tp if self.sequence_parallel else 1

    def stage_share(self, stage: int) -> Fraction:
        """The part of the model's layers that one pipeline stage holds; the shares of all stages sum to 1."""
        if self.stage_layers is None:
            return Fraction(1, self.pp)
        return Fraction(self.layers_of(stage), sum(self.stage_layers))

    def layers_of(self, stage: int) -> int | None:
        """Layers on a pipeline rank: its runs are dealt round-robin when vpp > 1. None where no count was given."""
        return None if self.stage_layers is None else sum(self.stage_layers[stage :: self.pp])


def split_layers(layers: int, parts: int) -> tuple[int, ...]:
    """Layers cut into consecutive stages as evenly as they go, the larger ones first: 24 over 5 is (5, 5, 5, 5, 4)."""
    base, extra = divmod(layers, parts)
    return tuple(base + (part < extra) for part in range(parts))


def checked_stage(zero: int | None, preset: str) -> int:
    """The ZeRO stage, or the lowest that the preset runs for None; raises ``Invalid`` for one that it does not run."""
    stages = preset_named(preset).stages
    if zero is None:
        return stages[0]
    if zero not in stages:
        runs = ", ".join(map(str, stages))
        message = f"ZeRO stage {zero} is not one that the preset {preset} runs; it runs {runs}"
        raise Invalid("layout.zero", "contradiction", {"zero": zero, "preset": preset, "stages": list(stages)}, message)
    return zero


def _stage_layers(given: list[int] | None, pp: int, vpp: int) -> tuple[int, ...] | None:
    if given is None:
        return None
    if len(given) != pp * vpp:
        message = f"it lists {len(given)} stages, but pp x vpp = {pp} x {vpp} = {pp * vpp}"
        raise Invalid("layout.stage_layers", "contradiction", {"stages": len(given), "pp": pp, "vpp": vpp}, message)
    if not sum(given):
        raise Invalid("layout.stage_layers", "out_of_range", {}, "at least one stage must have a layer")
    return tuple(given)
