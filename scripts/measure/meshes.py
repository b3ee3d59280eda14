"""Device meshes, each made once in a process: every new one would start process groups of its own."""

from functools import cache

from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

from .splits import Degrees


@cache
def mesh_of(strategy: str, over: Degrees, device_type: str) -> DeviceMesh:
    """The mesh of a strategy: "shard" ranks share a copy, "replicate" hold copies of it, "tensor" split tensors."""
    if strategy == "hybrid":
        shape, names = (over.data // over.shard, over.shard), ("replicate", "shard")
    elif strategy == "tp-fsdp2":
        shape, names = (over.shard, over.tensor), ("shard", "tensor")
    elif over.tensor > 1:
        shape, names = (over.tensor,), ("tensor",)
    else:
        shape, names = (over.shard,), ("shard",)
    return init_device_mesh(device_type, shape, mesh_dim_names=names)
