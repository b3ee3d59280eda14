"""How PyTorch's tensor parallelism splits the network: pairs of matrices, and the vocabulary."""

from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)

from .network import Gpt


def split_tensors(network: Gpt, mesh: DeviceMesh, *, sequence: bool) -> None:
    """Splits in place; ``sequence`` also splits what stands between the pairs of matrices along the tokens."""
    between = Shard(1) if sequence else Replicate()
    styles = {
        "tokens": RowwiseParallel(input_layouts=Replicate(), output_layouts=between),
        "head": ColwiseParallel(input_layouts=between, output_layouts=Replicate()),
    }
    if sequence:
        # Every rank holds all positions, and adds those of its own tokens.
        styles["positions"] = PrepareModuleOutput(output_layouts=Replicate(), desired_output_layouts=Shard(0))
        styles["norm"] = SequenceParallel(use_local_output=True)
    parallelize_module(network, mesh, styles)
    for block in network.blocks.values():
        parallelize_module(block, mesh, _block(sequence))


def _block(sequence: bool) -> dict:
    between = Shard(1) if sequence else Replicate()
    styles = {
        **{f"attention.{name}": ColwiseParallel() for name in ("query", "key", "value")},
        "attention.output": RowwiseParallel(output_layouts=between),
        "mlp.up": ColwiseParallel(),
        "mlp.down": RowwiseParallel(output_layouts=between),
    }
    if sequence:
        gather = PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),))
        styles |= {"attention": gather, "mlp": gather}
        styles |= {name: SequenceParallel(use_local_output=True) for name in ("norm1", "norm2")}
    return styles
