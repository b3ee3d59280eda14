"""A plan whose model has a shape, as understood: every default filled in, every clash found."""

from dataclasses import dataclass, field

from .architecture import Architecture
from .catalog import gpu_named
from .errors import Invalid
from .held import check_cuts, padded_vocabulary
from .layout import Layout
from .memo import Memo
from .models import Model
from .offload import in_host_memory
from .placement import TURNING, Chunk, placed
from .recipe import Recipe
from .schema import understood

COMPUTE_BYTES = {"bf16": 2, "fp16": 2, "fp32": 4, "fp8": 2}  # of an activation; fp8 is the matrices' own business
ONE_CHUNK = ("gpipe", "1f1b", "zb-h1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """A run of a model with a shape. Names are the plan's; ``micro_batches`` is what one replica runs in a step."""

    shape: Architecture
    gpu: str
    capacity_bytes: int
    layout: Layout
    recipe: Recipe
    ranks: tuple[tuple[Chunk, ...], ...]  # the chunks of each pipeline rank
    kind: str
    seq: int  # tokens
    micro_batch: int  # sequences
    micro_batches: int
    step: str
    offload: str
    compute: str
    reduce_bytes: int | None  # of one number of a gradient that is summed; None: the preset's
    bucket: int | None  # numbers; None: the preset's
    bucket_view: bool
    gradient_fusion: bool | None  # None: as the loss
    overlap: bool
    wrap: str
    recompute: str
    recompute_layers: int | None
    attention: str
    implementation: str
    compile: bool
    dropout: float  # fraction that is dropped; 0: no masks
    loss: str
    expert_balance: float  # tokens of the fullest rank's experts, times the mean
    fields: dict  # the plan as understood, every default filled in
    ignored: tuple[str, ...]  # fields of the model's config that do not change its shape
    defaulted: dict  # fields that the config leaves out, with its family's default
    memo: Memo = field(compare=False, repr=False)  # shared by the plans of one search

    @classmethod
    def from_sections(cls, model: Model, sections: dict, given: dict, memo: Memo | None = None) -> "Training":
        """Reads the sections of a plan, each field checked alone, and checks them against each other and the model.

        ``given``: the plan as it was sent, to tell a default from a choice. Fills the defaults into ``sections``.
        ``memo``: that of plans which differ in the layout and the micro-batch alone. Raises ``Invalid``.
        """
        memo = memo or Memo()
        shape, batch, schedule = model.architecture, sections["batch"], sections["schedule"]
        _virtual(sections["layout"], schedule, given)
        layout_fields, recipe_fields, activation = sections["layout"], sections["recipe"], sections["activation"]
        layout = Layout.from_plan(layout_fields, gpus=sections["cluster"]["gpus"], preset=recipe_fields["preset"])
        check_cuts(shape, layout)
        kind, preset = schedule["kind"], recipe_fields["preset"]
        ranks = memo.once(
            ("ranks", layout.pp, layout.vpp, kind), lambda: placed(shape, layout, kind=kind, preset=preset)
        )
        _fill_batch(batch, shape, layout)
        check_recompute(activation, shape)
        recipe = memo.once("recipe", lambda: Recipe.from_plan(recipe_fields, shapes=True))
        return cls(
            shape=shape,
            gpu=sections["cluster"]["gpu"],
            capacity_bytes=gpu_named(sections["cluster"]["gpu"]).capacity_bytes,
            layout=layout,
            recipe=recipe,
            ranks=ranks,
            kind=kind,
            seq=batch["seq"],
            micro_batch=batch["micro_batch"],
            micro_batches=batch["global_batch"] // (layout.dp * batch["micro_batch"]),
            fields={"model": given["model"], **understood(sections, layout, recipe)},
            ignored=model.ignored,
            defaulted=model.defaulted,
            memo=memo,
            **{name: recipe_fields[name] for name in RECIPE_FIELDS},
            **{name: activation[name] for name in ACTIVATION_FIELDS},
        )

    @property
    def vocabulary(self) -> int:
        """Rows of the embedding on one tensor-parallel rank."""
        return padded_vocabulary(self.shape, self.layout) // self.layout.tp

    @property
    def tokens(self) -> int:
        """Tokens of one micro-batch on one rank: the sequence is cut over the context-parallel ranks."""
        return self.micro_batch * -(-self.seq // self.layout.cp)

    @property
    def in_host_memory(self) -> tuple[str, ...]:
        """The parts of the states that are not on the card: see ``offload``."""
        return in_host_memory(self.recipe, self.layout.zero, self.offload)

    @property
    def activation_bytes(self) -> int:
        """Bytes of one number of an activation."""
        return COMPUTE_BYTES[self.compute]


RECIPE_FIELDS = (
    "step",
    "offload",
    "compute",
    "reduce_bytes",
    "bucket",
    "bucket_view",
    "gradient_fusion",
    "overlap",
    "wrap",
)
ACTIVATION_FIELDS = (
    "recompute",
    "recompute_layers",
    "attention",
    "implementation",
    "compile",
    "dropout",
    "loss",
    "expert_balance",
)


def _virtual(layout: dict, schedule: dict, given: dict) -> None:
    """The schedule and the virtual stages say the same thing twice; the one that was not given follows the other."""
    chose_kind = "kind" in given.get("schedule", {})
    kind, vpp = schedule["kind"], layout["vpp"]
    if kind in TURNING and vpp == 1:  # the default, whether it was left out or written down
        layout["vpp"] = vpp = 2
    if kind in ONE_CHUNK and vpp > 1:
        if chose_kind:
            message = f'{kind} runs one stage a rank, but vpp is {vpp}; make vpp 1, or the kind "interleaved"'
            raise Invalid("layout.vpp", "contradiction", {"vpp": vpp, "kind": kind}, message)
        schedule["kind"] = "interleaved"
    if kind in TURNING and vpp != 2:
        message = f"{kind} runs two stages a rank; make vpp 2"
        raise Invalid("layout.vpp", "contradiction", {"vpp": vpp, "kind": kind}, message)


def _fill_batch(batch: dict, shape: Architecture, layout: Layout) -> None:
    batch["seq"] = filled_seq(batch, shape)
    together = layout.dp * batch["micro_batch"]
    if batch["global_batch"] is None:
        batch["global_batch"] = together
    if batch["global_batch"] % together:
        message = (
            f"dp x micro_batch = {layout.dp} x {batch['micro_batch']} = {together} does not divide "
            f"{batch['global_batch']} sequences; use a multiple of {together}"
        )
        values = {"global_batch": batch["global_batch"], "dp": layout.dp, "micro_batch": batch["micro_batch"]}
        raise Invalid("batch.global_batch", "not_divisible", values, message)


def filled_seq(batch: dict, shape: Architecture) -> int:
    """The sequence's length: the plan's, else the model's own context. Raises ``Invalid`` where neither says one."""
    if batch["seq"] is None:
        if shape.max_position_embeddings is None:
            raise Invalid("batch.seq", "missing_field", {}, "the model does not say its context; add the length")
        return shape.max_position_embeddings
    return batch["seq"]


def own_context(seq: int, shape: Architecture) -> bool:
    """Whether a length in tokens is the longest that the model was made for, which a plan without ``seq`` takes."""
    return seq == shape.max_position_embeddings


def check_recompute(activation: dict, shape: Architecture) -> None:
    """Raises ``Invalid`` for a number of recomputed layers that the policy or the model does not have."""
    layers = activation["recompute_layers"]
    if layers is None:
        return
    if activation["recompute"] != "full":
        message = 'it says how many layers are recomputed in full; make recompute "full", or leave it out'
        raise Invalid("activation.recompute_layers", "contradiction", {"value": layers}, message)
    if layers > shape.num_hidden_layers:
        message = f"the model has {shape.num_hidden_layers} layers; it is {layers}"
        values = {"value": layers, "layers": shape.num_hidden_layers}
        raise Invalid("activation.recompute_layers", "out_of_range", values, message)
