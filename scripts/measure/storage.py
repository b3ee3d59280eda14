"""Bytes that tensors really have: their storages on this rank, each counted once."""

from collections.abc import Iterable

from torch import Tensor
from torch.distributed.tensor import DTensor


def local(tensor: Tensor) -> Tensor:
    """The part of a tensor that is on this rank."""
    tensor = tensor.detach()
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def storages(tensors: Iterable[Tensor]) -> dict[int, int]:
    """Bytes of each storage behind these tensors, by its address."""
    found = (local(tensor).untyped_storage() for tensor in tensors)
    return {storage.data_ptr(): storage.nbytes() for storage in found}


def storage_bytes(tensors: Iterable[Tensor]) -> int:
    """Bytes of all storages behind these tensors."""
    return sum(storages(tensors).values())
