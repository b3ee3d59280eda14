"""Trainers: the network of `network.py` under each strategy, one optimizer, and one step on a batch of all ranks."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.fsdp import fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel
from torch.optim import Optimizer

from .meshes import mesh_of
from .network import Gpt, loss_of
from .pipeline_parallel import pipeline
from .place import Place
from .precision import adamw_options, computing, kept_in, optimizer_class, policy_of
from .sizes import SIZES, Size
from .splits import STRATEGIES, Degrees, degrees
from .storage import local, storage_bytes, storages
from .tensor_parallel import split_tensors

SEED = 20
Pass = Callable[[Tensor, Tensor], Tensor]


@dataclass(slots=True, kw_only=True)
class Trainer:
    """``run`` does a forward and a backward pass on a batch of all ranks; its loss is the mean over the batch.

    ``buckets``  bytes of DDP's buckets by their address, where gradients are beside them
    ``gathered`` bytes of whole weights between forward and backward, under FSDP2
    """

    weights: list[nn.Parameter]
    optimizer: Optimizer
    run: Pass
    buckets: dict[int, int] = field(default_factory=dict)
    gathered: list[int] = field(default_factory=list)

    def step(self, tokens: Tensor, wanted: Tensor) -> float:
        """One update; the loss before it. Gradients stay."""
        self.optimizer.zero_grad()
        loss = self.run(tokens, wanted)
        self.optimizer.step()
        return loss.item()


def batch_of(size: Size, sequences: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """Token numbers and those that follow them, the same on every rank."""
    made = torch.Generator().manual_seed(SEED + 1)
    text = torch.randint(size.vocab, (sequences, size.positions + 1), generator=made).to(device)
    return text[:, :-1].contiguous(), text[:, 1:].contiguous()


def whole_network(size: Size, precision: str, device: torch.device) -> Gpt:
    """The whole network with the same weights on every rank and device."""
    torch.manual_seed(SEED)
    return Gpt(size).to(device, kept_in(precision))


def alone(asked: dict[str, Any], device: torch.device) -> Trainer:
    """The trainer of one process, which the others are compared with."""
    network = whole_network(SIZES[asked["size"]], asked["precision"], device)

    def run(tokens: Tensor, wanted: Tensor) -> Tensor:
        with computing(asked["precision"], device):
            loss = loss_of(network(tokens), wanted)
        loss.backward()
        return loss.detach()

    return _with_optimizer(network, asked, run)


def trainer(asked: dict[str, Any], place: Place) -> Trainer:
    """The trainer of a case on this rank. Raises ``ValueError`` where the ranks do not divide."""
    strategy, precision = asked["strategy"], asked["precision"]
    network = whole_network(SIZES[asked["size"]], precision, place.device)
    if strategy == "pp":
        stages, run = pipeline(network, asked, place)
        return _with_optimizer(stages, asked, run)
    over = degrees(strategy, place.world)
    buckets: dict[int, int] = {}
    gathered: list[int] = []
    network = _split(network, asked, over, place, buckets)

    def run(tokens: Tensor, wanted: Tensor) -> Tensor:
        mine = place.rank // over.tensor
        with computing(precision, place.device):
            loss = loss_of(network(tokens.chunk(over.data)[mine]), wanted.chunk(over.data)[mine])
        if STRATEGIES[strategy].preset == "fsdp2":
            gathered[:] = [storage_bytes(weight for weight in network.parameters() if not _sharded(weight))]
        loss.backward()
        total = loss.detach().clone()
        dist.all_reduce(total)
        return total / place.world

    return _with_optimizer(network, asked, run, buckets=buckets, gathered=gathered)


def squares(weights: list[nn.Parameter], holders: int) -> Tensor:
    """The squares of this rank's weights, so that the sum over all ranks is that of the whole network.

    ``holders``: ranks that have each of these weights, or a part of it: 1 for a pipeline, where each has its own.
    """
    total = torch.zeros((), dtype=torch.float64, device=weights[0].device)
    for weight in weights:
        total += local(weight).double().square().sum() * _parts(weight) / holders
    return total


def _parts(weight: Tensor) -> int:
    """How many parts a tensor is cut in."""
    if not isinstance(weight, DTensor):
        return 1
    mesh = weight.device_mesh
    return math.prod(mesh.size(axis) for axis, cut in enumerate(weight.placements) if not cut.is_replicate())


def _split(network: Gpt, asked: dict[str, Any], over: Degrees, place: Place, buckets: dict[int, int]) -> nn.Module:
    strategy = asked["strategy"]
    if over.tensor == 1 and STRATEGIES[strategy].preset == "ddp-amp":
        return _replicated(network, place, None if strategy != "ddp-copy" else buckets)
    mesh = mesh_of(strategy, over, place.device.type)
    if over.tensor > 1:
        split_tensors(network, mesh["tensor"], sequence=strategy == "tp-sp")
    if STRATEGIES[strategy].preset == "fsdp2":
        # The logits of a split head are a view; nothing here changes them in place.
        warnings.filterwarnings("ignore", message="FSDP2-wrapped module .* returned a view tensor")
        shared = mesh if strategy == "hybrid" else mesh["shard"]
        again = strategy != "fsdp2-kept"
        policy = policy_of(asked["precision"])
        for block in network.blocks.values():
            fully_shard(block, mesh=shared, reshard_after_forward=again, mp_policy=policy)
        # The root is needed again at once: PyTorch leaves it gathered by default.
        fully_shard(network, mesh=shared, mp_policy=policy, **({} if again else {"reshard_after_forward": False}))
    return network


def _replicated(network: Gpt, place: Place, buckets: dict[int, int] | None) -> nn.Module:
    """DDP; with ``buckets``, gradients are beside its buckets, whose bytes are written there in each step."""
    device_ids = [place.device] if place.device.type == "cuda" else None
    made = DistributedDataParallel(network, device_ids=device_ids, gradient_as_bucket_view=buckets is None)
    if buckets is not None:

        def reduced(state: None, bucket: dist.GradBucket) -> torch.futures.Future[Tensor]:
            if bucket.index() == 0:
                buckets.clear()
            buckets.update(storages([bucket.buffer()]))
            return default_hooks.allreduce_hook(state, bucket)

        made.register_comm_hook(None, reduced)
    return made


def _sharded(weight: nn.Parameter) -> bool:
    return isinstance(weight, DTensor) and "shard" in weight.device_mesh.mesh_dim_names


def _with_optimizer(network: nn.Module, asked: dict[str, Any], run: Pass, **more: Any) -> Trainer:
    weights = list(network.parameters())
    kind, options = optimizer_class(asked["precision"]), adamw_options(asked["adamw"])
    if asked["strategy"] == "zero-1":
        optimizer = ZeroRedundancyOptimizer(weights, optimizer_class=kind, **options)
    else:
        # A multi-tensor step takes tensors of one mesh, or plain ones.
        groups: dict[Any, list[nn.Parameter]] = {}
        for weight in weights:
            groups.setdefault(weight.device_mesh if isinstance(weight, DTensor) else None, []).append(weight)
        optimizer = kind([{"params": group} for group in groups.values()], **options)
    return Trainer(weights=weights, optimizer=optimizer, run=run, **more)
