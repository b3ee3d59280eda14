"""Named facts that the prose prints: each returns a quantity of the running example, never text."""

from collections.abc import Callable
from fractions import Fraction

from .catalog import EXAMPLE, ZERO_FIGURE_1_GB, gpu_named
from .layout import Layout, checked_stage, split_layers
from .memory import PARTS, StageLedger
from .memory import states as ledgers
from .recipe import Recipe, named
from .units import Quantity, quantity

FACTS: dict[str, Callable[..., Quantity]] = {}


def fact(function: Callable[..., Quantity]) -> Callable[..., Quantity]:
    """Registers a function under its own name for ``{{ name(argument=value) }}`` in a page."""
    FACTS[function.__name__] = function
    return function


def example_recipe() -> Recipe:
    """The recipe of the running example."""
    return named(EXAMPLE.preset)


def example_layout(*, zero: int = 0, gpus: int = 1, tp: int = 1, pp: int = 1) -> Layout:
    """A layout for the running example: ``gpus`` replicas of a model split tp x pp ways, its layers dealt evenly."""
    return Layout(
        dp=gpus,
        tp=tp,
        pp=pp,
        cp=1,
        vpp=1,
        zero=checked_stage(zero, EXAMPLE.preset),
        stage_layers=split_layers(EXAMPLE.layers, pp),
    )


def example_ledger(*, zero: int = 0, gpus: int = 1, tp: int = 1, pp: int = 1) -> StageLedger:
    """What the fullest GPU of the running example keeps."""
    layout = example_layout(zero=zero, gpus=gpus, tp=tp, pp=pp)
    return max(ledgers(EXAMPLE.parameters, example_recipe(), layout), key=lambda ledger: ledger.total_bytes)


@fact
def example_params() -> Quantity:
    """Parameters of the running example."""
    return Quantity(value=EXAMPLE.parameters, unit="count")


@fact
def example_card() -> Quantity:
    """The card's label, taken at its word: N GB are N x 1e9 bytes."""
    return quantity(EXAMPLE.card_gpu.capacity_bytes)


@fact
def example_card_gib() -> Quantity:
    """The same card in GiB."""
    return quantity(EXAMPLE.card_gpu.capacity_bytes, "GiB")


@fact
def example_gpus() -> Quantity:
    """GPUs where the sharding page starts."""
    return Quantity(value=EXAMPLE.gpus, unit="GPUs")


@fact
def many_gpus() -> Quantity:
    """The larger group that the sharding page compares with."""
    return Quantity(value=EXAMPLE.many_gpus, unit="GPUs")


@fact
def example_replicas() -> Quantity:
    """GPUs where the data-parallel page starts."""
    return Quantity(value=EXAMPLE.replicas, unit="GPUs")


@fact
def example_degree() -> Quantity:
    """GPUs that share the model where the model-parallel page starts."""
    return Quantity(value=EXAMPLE.degree, unit="GPUs")


@fact
def uneven_degree() -> Quantity:
    """A degree that does not divide the example's layers."""
    return Quantity(value=EXAMPLE.uneven_degree, unit="GPUs")


@fact
def example_layers() -> Quantity:
    """Layers of the running example."""
    return Quantity(value=EXAMPLE.layers, unit="layers")


@fact
def samples_per_gpu() -> Quantity:
    """Samples of the batch that one GPU works on."""
    return Quantity(value=EXAMPLE.samples_per_gpu, unit="samples")


@fact
def global_batch(gpus: int = EXAMPLE.replicas) -> Quantity:
    """Samples that all replicas work on in one step."""
    return Quantity(value=gpus * EXAMPLE.samples_per_gpu, unit="samples")


@fact
def speedup(gpus: int = EXAMPLE.replicas) -> Quantity:
    """Ideal throughput of data parallelism against one GPU: communication not counted."""
    return Quantity(value=gpus, unit="times")


@fact
def bytes_per_param(part: str = "total") -> Quantity:
    """Bytes that one parameter costs under the example's recipe, or one part of them."""
    recipe = example_recipe()
    moment = Fraction(recipe.moment_bytes, 2)  # Adam keeps two of equal size
    parts = {
        "total": recipe.total_bytes,
        "weights": recipe.weight_bytes,
        "gradients": recipe.gradient_bytes,
        "optimizer": recipe.optimizer_bytes,
        "master": recipe.master_bytes,
        "momentum": moment,
        "variance": moment,
    }
    return Quantity(value=parts[part], unit="bytes")


@fact
def optimizer_share() -> Quantity:
    """The optimizer's part of all bytes."""
    recipe = example_recipe()
    return Quantity(value=Fraction(100 * recipe.optimizer_bytes, recipe.total_bytes), unit="percent")


@fact
def states(zero: int = 0, gpus: int = EXAMPLE.gpus, part: str = "total") -> Quantity:
    """Memory a GPU keeps for the model's states, or for one part of them; raises ``ValueError`` for an unknown part."""
    if part not in ("total", *PARTS):
        raise ValueError(f"part must be total or one of {', '.join(PARTS)}")
    ledger = example_ledger(zero=zero, gpus=gpus)
    return quantity(ledger.total_bytes if part == "total" else ledger.bytes_of(part))


@fact
def fewest_gpus(zero: int) -> Quantity:
    """Fewest GPUs on which the example's states fit its card.

    Raises ``ValueError`` where no number of GPUs does: the part that stays whole is too large by itself.
    """
    recipe, ledger = example_recipe(), example_ledger(zero=zero)
    sharded_bytes = sum(entry.amount_bytes for entry in ledger.entries if recipe.shards(entry.what, zero))
    room_bytes = EXAMPLE.card_gpu.capacity_bytes - (ledger.total_bytes - sharded_bytes)
    if room_bytes <= 0:
        raise ValueError(f"at ZeRO stage {zero} the example fits no {EXAMPLE.card} however many GPUs there are")
    return Quantity(value=max(1, -(-sharded_bytes // room_bytes)), unit="GPUs")


@fact
def split(axis: str, degree: int = EXAMPLE.degree) -> Quantity:
    """Memory of the largest share when ``degree`` GPUs split the example by ``tensor`` or ``pipeline``."""
    return quantity(example_ledger(**{{"tensor": "tp", "pipeline": "pp"}[axis]: degree}).total_bytes)


@fact
def share(degree: int = EXAMPLE.degree) -> Quantity:
    """The part of a layer, or of the layers, that each of ``degree`` GPUs holds under an even split."""
    return Quantity(value=Fraction(1, degree), unit="fraction")


@fact
def gpus(count: int) -> Quantity:
    """So many GPUs, for the words beside a drawing."""
    return Quantity(value=count, unit="GPUs")


@fact
def split_layers_largest(degree: int = EXAMPLE.degree) -> Quantity:
    """Layers of the largest pipeline stage."""
    return Quantity(value=max(split_layers(EXAMPLE.layers, degree)), unit="layers")


# Elements each GPU sends and receives in one step, in multiples of the parameter count, for large groups
# (Rajbhandari et al. 2020, ZeRO, section 7): reduce-scatter and all-gather of the gradients or weights once each;
# with sharded weights one more all-gather, for the backward pass.
TRAFFIC = {0: 2, 1: 2, 2: 2, 3: 3}


@fact
def traffic(zero: int = 0) -> Quantity:
    """Elements moved by each GPU in one step, in multiples of the parameter count."""
    return Quantity(value=TRAFFIC[zero], unit="times")


@fact
def traffic_ratio(zero: int) -> Quantity:
    """Traffic of a ZeRO stage against plain data parallelism."""
    return Quantity(value=Fraction(TRAFFIC[zero], TRAFFIC[0]), unit="times")


@fact
def card_capacity(gpu: str, unit: str = "GiB") -> Quantity:
    """What a card of the catalogue really offers."""
    return quantity(gpu_named(gpu, "gpu").capacity_bytes, unit)


@fact
def zero_figure1(zero: int) -> Quantity:
    """What Figure 1 of the ZeRO paper prints at 64 GPUs."""
    return Quantity(value=ZERO_FIGURE_1_GB[zero], unit="GB")
