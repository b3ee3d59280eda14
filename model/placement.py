"""Which layers each pipeline rank holds.

chunk       consecutive layers that are one of the p x v stages
rank        holds v chunks: every p-th one, or, where the pipeline turns back, one from each end
first, last the chunk that has the embedding, and the one that has the head and the loss
"""

from dataclasses import dataclass

from .architecture import Architecture
from .errors import Invalid
from .layout import Layout, split_layers

# Kinds whose second chunk runs back from the last rank to the first (Qi et al. 2024, Pipeline Parallelism with
# Controllable Memory, arXiv:2405.15362; DeepSeek-AI 2025, DualPipe, github.com/deepseek-ai/DualPipe).
TURNING = ("zb-v", "dualpipe-v")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """One pipeline stage: its place among all p x v, and its layers, counted over the whole model.

    ``alike``          equal for chunks that hold the same, wherever they are: as many layers of each kind in one order
    ``onward, back``   whether what it computes goes to another rank: the activations, their gradients
    """

    stage: int
    layers: range
    first: bool
    last: bool
    alike: str
    onward: bool
    back: bool


def placed(shape: Architecture, layout: Layout, *, kind: str, preset: str) -> tuple[tuple[Chunk, ...], ...]:
    """The chunks of each of the pp ranks, in the order of the layers.

    Raises ``Invalid`` when ``stage_layers`` does not sum to the model's layers, and for more stages than layers.
    """
    stages = layout.pp * layout.vpp
    counts = _counts(shape, layout, preset)
    starts = _starts(counts)
    turn = layout.pp - 1 if kind in TURNING else None  # its last rank passes this stage on to itself
    chunks = []
    for stage, (start, count) in enumerate(zip(starts, counts, strict=True)):
        first, last, layers = stage == 0, stage == stages - 1, range(start, start + count)
        chunk = Chunk(
            stage=stage,
            layers=layers,
            first=first,
            last=last,
            alike=f"{first:d}{last:d}{_kinds(shape, layers)}",
            onward=not last and layout.pp > 1 and stage != turn,
            back=not first and layout.pp > 1 and stage - 1 != turn,
        )
        chunks.append(chunk)
    if kind in TURNING:
        return tuple((chunks[rank], chunks[stages - 1 - rank]) for rank in range(layout.pp))
    return tuple(tuple(chunks[rank :: layout.pp]) for rank in range(layout.pp))


def _kinds(shape: Architecture, layers: range) -> str:
    """How many layers there are; where they differ, a letter for each: with experts or without, with a window or not."""
    if not shape.num_experts and not shape.sliding_layers:
        return str(len(layers))
    return "".join("abcd"[2 * shape.is_moe(layer) + (shape.window_of(layer) is not None)] for layer in layers)


def balanced_layers(shape: Architecture, stages: int) -> tuple[int, ...]:
    """Layers of each stage as nanotron deals them: by the cost of the matrices, the head's among them.

    A stage takes blocks until their running cost reaches its share, so the last stages, which have the head, get fewer.
    Source: nanotron, models/base.py, build_model, and LlamaForTraining.get_block_compute_costs. A tie ends the stage: 16
    layers and a head that costs four ran as 10 and 6 (ultra-scale playbook, 1.34 B parameters: memory and speed).
    """
    hidden, heads = shape.hidden_size, shape.num_attention_heads
    layer = 4 * heads * (hidden // heads) * hidden + 3 * shape.intermediate_size * hidden
    total = layer * shape.num_hidden_layers + shape.vocab_size * hidden
    counts, stage = [0] * stages, 0
    for number in range(1, shape.num_hidden_layers + 1):
        counts[stage] += 1
        if layer * number * stages >= total * (stage + 1):
            stage += 1
    return tuple(counts)


def _counts(shape: Architecture, layout: Layout, preset: str) -> tuple[int, ...]:
    layers, stages = shape.num_hidden_layers, layout.pp * layout.vpp
    given = layout.stage_layers
    if given is not None:
        if sum(given) != layers:
            message = f"the stages have {sum(given)} layers together, but the model has {layers}"
            raise Invalid("layout.stage_layers", "contradiction", {"sum": sum(given), "layers": layers}, message)
        return given
    if preset == "nanotron" and layout.vpp == 1 and not shape.num_experts:
        return balanced_layers(shape, stages)
    if stages > layers:
        message = (
            f"pp x vpp = {layout.pp} x {layout.vpp} = {stages} stages, but the model has {layers} layers; "
            "use fewer stages, or say in stage_layers which have none"
        )
        raise Invalid("layout.pp", "out_of_range", {"stages": stages, "layers": layers}, message)
    return split_layers(layers, stages)


def _starts(counts: tuple[int, ...]) -> list[int]:
    starts = [0]
    for count in counts[:-1]:
        starts.append(starts[-1] + count)
    return starts
