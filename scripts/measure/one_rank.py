"""One rank of a training run: the network as a strategy wraps it, its optimizer, and one step in four phases."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor import Replicate
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

from .master import MasterAdamW, local
from .network import Gpt, loss_of
from .sizes import SIZES

HALF = {"bf16-master": torch.bfloat16}  # every other precision keeps its weights in fp32
# The styles of each matrix. The embedding takes whole tokens; the head gives whole logits, so the loss is that of one rank.
TENSOR_PARALLEL = {
    "tokens": lambda: RowwiseParallel(input_layouts=Replicate()),
    "blocks.*.attention.query": ColwiseParallel,
    "blocks.*.attention.key": ColwiseParallel,
    "blocks.*.attention.value": ColwiseParallel,
    "blocks.*.attention.output": RowwiseParallel,
    "blocks.*.mlp.up": ColwiseParallel,
    "blocks.*.mlp.down": RowwiseParallel,
    "head": lambda: ColwiseParallel(output_layouts=Replicate()),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class OneRank:
    """What a rank trains: the wrapped network and its optimizer, with the tokens of one micro-batch.

    ``buckets``: bytes of DDP's buckets by their storage, where gradients are beside them.
    """

    network: nn.Module
    optimizer: torch.optim.Optimizer
    tokens: Tensor  # batch × tokens
    wanted: Tensor  # batch × tokens
    buckets: dict[int, int]

    @property
    def sharded(self) -> bool:
        """Whether fully_shard wraps the network."""
        return isinstance(self.network, FSDPModule)

    @property
    def parameters(self) -> int:
        """Numbers in the whole network's weights, whatever this rank holds of them."""
        return sum(one.numel() for one in self.network.parameters())

    @property
    def stateful(self) -> torch.optim.Optimizer:
        """The optimizer that keeps this rank's state: ZeRO-1's own one stands inside."""
        return self.optimizer.optim if isinstance(self.optimizer, ZeroRedundancyOptimizer) else self.optimizer

    def phases(self) -> list[tuple[str, Callable[[], Any]]]:
        """One step: its phases in order, each a name and what to call."""
        losses: list[Tensor] = []
        return [
            ("forward", lambda: losses.append(loss_of(self.network(self.tokens), self.wanted))),
            ("backward", lambda: losses.pop().backward()),
            ("step", self.optimizer.step),
            ("zero_grad", self.optimizer.zero_grad),
        ]

    def resting(self) -> dict[str, int]:
        """Bytes of weights, gradients and optimizer state, each storage counted once, and of the step counters."""
        state = [value for kept in self.stateful.state.values() for value in kept.values() if isinstance(value, Tensor)]
        parameters = list(self.network.parameters())
        return {
            "weights_bytes": _stored(parameters),
            "gradients_bytes": _stored([one.grad for one in parameters if one.grad is not None]),
            "buckets_bytes": sum(self.buckets.values()),
            "optimizer_bytes": _stored([value for value in state if value.dim()]),
            "counters_bytes": _stored([value for value in state if not value.dim()]),
        }


def one_rank(asked: dict[str, Any], device: torch.device, mesh: Any) -> OneRank:
    """The rank that a case asks for, on ``device``. ``mesh`` is the device mesh of all its ranks."""
    size, strategy, precision = SIZES[asked["size"]], asked["strategy"], asked["precision"]
    sharded = strategy.startswith("fsdp2")
    # Without storage at first, where fully_shard leaves only this rank's part of it to make.
    network: nn.Module = Gpt(
        size,
        recompute=asked["recompute"],
        device="meta" if sharded else device,
        dtype=HALF.get(precision, torch.float32),
    )
    if sharded:
        wrapped = {"mesh": mesh}
        if precision == "mixed":
            wrapped["mp_policy"] = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
        for block in network.blocks.values():
            fully_shard(block, reshard_after_forward=strategy == "fsdp2", **wrapped)
        # The root stays gathered from forward to backward by PyTorch's default, as it is needed again at once.
        fully_shard(network, **wrapped)
        network.to_empty(device=device)
    if strategy == "tp":
        parallelize_module(network, mesh, {name: style() for name, style in TENSOR_PARALLEL.items()})
    with torch.no_grad():
        for parameter in network.parameters():
            local(parameter).normal_(std=0.02)
    buckets: dict[int, int] = {}
    if strategy in ("ddp", "ddp-copy", "zero-1"):
        network = _replicated(network, device, beside=buckets if strategy == "ddp-copy" else None)
    shape = (asked["micro_batch"], asked["seq"])
    return OneRank(
        network=network,
        optimizer=_optimizer(network, precision, split=strategy == "zero-1"),
        tokens=torch.randint(size.vocab, shape, device=device),
        wanted=torch.randint(size.vocab, shape, device=device),
        buckets=buckets,
    )


def _replicated(network: nn.Module, device: torch.device, *, beside: dict[int, int] | None) -> nn.Module:
    """DDP; with ``beside``, gradients are beside its buckets, whose bytes are written there in each step."""
    on = [device.index] if device.type == "cuda" else None
    alone = dist.get_backend() == "fake"
    wrapped = DistributedDataParallel(
        network, device_ids=on, gradient_as_bucket_view=beside is None, init_sync=not alone
    )

    def reduced(_: None, bucket: dist.GradBucket) -> torch.futures.Future[Tensor]:
        if beside is not None:
            if bucket.index() == 0:
                beside.clear()
            beside.update(_storages([bucket.buffer()]))
        if not alone:
            return default_hooks.allreduce_hook(None, bucket)
        # A reduction would read what fake tensors do not have.
        done: torch.futures.Future[Tensor] = torch.futures.Future()
        done.set_result(bucket.buffer())
        return done

    if alone or beside is not None:
        wrapped.register_comm_hook(None, reduced)
    return wrapped


def _optimizer(network: nn.Module, precision: str, *, split: bool) -> torch.optim.Optimizer:
    kind: type[torch.optim.Optimizer] = MasterAdamW if precision in HALF else torch.optim.AdamW
    given = {} if precision in HALF else {"fused": True}  # any other AdamW reads its counter, which may be fake
    if split:
        return ZeroRedundancyOptimizer(network.parameters(), optimizer_class=kind, **given)
    return kind(network.parameters(), **given)


def _stored(tensors: list[Tensor]) -> int:
    """Bytes of the storages behind these tensors, each once."""
    return sum(_storages(tensors).values())


def _storages(tensors: list[Tensor]) -> dict[int, int]:
    # By their identity: fake ones have no address.
    return {storage._cdata: storage.nbytes() for storage in (local(one).untyped_storage() for one in tensors)}
