"""Training under DDP and FSDP2 in bf16 with weights, gradients and moments in fp32, with and without communication."""

from contextlib import nullcontext

import torch
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.nn.parallel import DistributedDataParallel

from .network import Gpt, loss_of
from .place import Place
from .sizes import SIZES

COMPUTED_IN = torch.bfloat16


class Training:
    """One rank's network under a strategy, "ddp" or "fsdp2", its optimizer, and a batch of random tokens."""

    def __init__(self, strategy: str, size: str, sequences: int, place: Place) -> None:
        self.device = place.device
        torch.manual_seed(0)  # the same weights on every rank
        network = Gpt(SIZES[size], device=self.device)
        blocks = [sum(weight.numel() for weight in block.parameters()) for block in network.blocks.values()]
        # Parameters of what is gathered and reduced at once under FSDP2, the root first.
        self.units = [sum(weight.numel() for weight in network.parameters()) - sum(blocks), *blocks]
        self.network = _replicated(network, place) if strategy == "ddp" else _sharded(network)
        self.optimizer = torch.optim.AdamW(self.network.parameters(), lr=1e-4, foreach=True)
        text = torch.randint(SIZES[size].vocab, (sequences, SIZES[size].positions + 1), device=self.device)
        self.tokens, self.wanted = text[:, :-1].contiguous(), text[:, 1:].contiguous()
        self.alone = False

    def passes(self) -> None:
        """Forward and backward; gradients are reduced unless the ranks are alone."""
        self.optimizer.zero_grad()
        replicated = isinstance(self.network, DistributedDataParallel)
        with self.network.no_sync() if replicated and self.alone else nullcontext():
            with torch.autocast(self.device.type, COMPUTED_IN, enabled=replicated):
                loss = loss_of(self.network(self.tokens), self.wanted)
            loss.backward()

    def step(self) -> None:
        """One step with its update."""
        self.passes()
        self.optimizer.step()

    def stay_alone(self) -> None:
        """From now on nothing is sent: weights that FSDP2 has gathered stay whole, and no gradient is reduced."""
        self.alone = True
        if not isinstance(self.network, DistributedDataParallel):
            self.network.set_reshard_after_forward(False)
            self.network.set_reshard_after_backward(False)
            self.network.set_requires_gradient_sync(False)
        self.passes()  # gathers a last time


def _replicated(network: nn.Module, place: Place) -> DistributedDataParallel:
    ids = [place.device] if place.device.type == "cuda" else None
    return DistributedDataParallel(network, device_ids=ids, gradient_as_bucket_view=True)


def _sharded(network: Gpt) -> nn.Module:
    """Resharded after forward, but for the root, which the backward needs at once."""
    policy = MixedPrecisionPolicy(param_dtype=COMPUTED_IN, reduce_dtype=torch.float32)
    for block in network.blocks.values():
        fully_shard(block, mp_policy=policy)
    return fully_shard(network, mp_policy=policy)
