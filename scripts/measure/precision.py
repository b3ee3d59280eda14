"""What numbers are kept and computed in, and the optimizer that goes with it."""

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributed.fsdp import MixedPrecisionPolicy
from torch.optim import AdamW, Optimizer

ADAMW = {"lr": 1e-3, "betas": (0.9, 0.95), "weight_decay": 0.0}


def kept_in(precision: str) -> torch.dtype:
    """The type of the weights."""
    return torch.bfloat16 if precision == "bf16-master" else torch.float32


def computing(precision: str, device: torch.device) -> AbstractContextManager:
    """What the forward pass runs in."""
    return torch.autocast(device.type, torch.bfloat16) if precision == "autocast" else nullcontext()


def policy_of(precision: str) -> MixedPrecisionPolicy:
    """What `fully_shard` computes and reduces in: only "mixed" is another type than the weights'."""
    if precision == "mixed":
        return MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    return MixedPrecisionPolicy()


def optimizer_class(precision: str) -> type[Optimizer]:
    """AdamW, on the weights themselves or on a master copy of them."""
    return MasterAdamW if precision == "bf16-master" else AdamW


def adamw_options(adamw: str) -> dict[str, Any]:
    """AdamW's arguments for "foreach" or "fused"."""
    return {**ADAMW, adamw: True}


class MasterAdamW(Optimizer):
    """AdamW on an fp32 copy of low-precision weights: 4 bytes for the copy and 8 for the moments, 2 + 2 + 12 in all."""

    def __init__(self, params: Iterable[nn.Parameter] | Iterable[dict[str, Any]], **options: Any) -> None:
        super().__init__(params, options)
        copied = [[weight.detach().clone().float() for weight in group["params"]] for group in self.param_groups]
        self.own = [weight for group in self.param_groups for weight in group["params"]]
        self.masters = [master for group in copied for master in group]
        self.inner = AdamW([{"params": group} for group in copied], **options)

    @torch.no_grad()
    def step(self, closure: None = None) -> None:
        """One update of the masters, and of the weights from them. The fp32 gradients are given back at once."""
        for master, weight in zip(self.masters, self.own, strict=True):
            master.grad = None if weight.grad is None else weight.grad.float()
        self.inner.step()
        self.inner.zero_grad()
        for master, weight in zip(self.masters, self.own, strict=True):
            weight.copy_(master)


def optimizer_tensors(optimizer: Optimizer) -> tuple[list[Tensor], list[Tensor]]:
    """What an optimizer of here keeps on this rank: master copies with moments, and the counters of steps."""
    inner = getattr(optimizer, "optim", optimizer)  # ZeroRedundancyOptimizer's part of this rank
    masters = inner.masters if isinstance(inner, MasterAdamW) else []
    states = list((inner.inner if isinstance(inner, MasterAdamW) else inner).state.values())
    moments = [value for state in states for name, value in state.items() if name != "step"]
    return [*masters, *moments], [state["step"] for state in states]
