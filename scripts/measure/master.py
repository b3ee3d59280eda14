"""AdamW for half-precision weights, with an fp32 master copy: 2 + 2 + 12 bytes a parameter."""

import torch
from torch import Tensor
from torch.distributed.tensor import DTensor


class MasterAdamW(torch.optim.Optimizer):
    """Keeps a master copy and two moments of each parameter in fp32, from the start, and no counter on the device.

    Gradients become fp32 one parameter at a time, so a step needs the fp32 copy of the largest alone.
    """

    def __init__(self, params, *, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.95)) -> None:
        super().__init__(params, {"lr": lr, "betas": betas})
        self.steps = 0
        for group in self.param_groups:
            for parameter in group["params"]:
                held = local(parameter.detach())
                self.state[parameter] = {
                    "master": held.to(torch.float32, copy=True),
                    "first": torch.zeros_like(held, dtype=torch.float32),
                    "second": torch.zeros_like(held, dtype=torch.float32),
                }

    @torch.no_grad()
    def step(self, closure=None) -> None:
        """Update the masters, and the weights from them. ``closure`` is torch's; it is not called."""
        self.steps += 1
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                kept = self.state[parameter]
                torch._fused_adamw_(
                    [kept["master"]],
                    [local(parameter.grad).float()],
                    [kept["first"]],
                    [kept["second"]],
                    [],
                    [torch.tensor(float(self.steps), device=kept["master"].device)],
                    lr=group["lr"],
                    beta1=group["betas"][0],
                    beta2=group["betas"][1],
                    weight_decay=0.0,
                    eps=1e-8,
                    amsgrad=False,
                    maximize=False,
                )
                local(parameter).copy_(kept["master"])


def local(tensor: Tensor) -> Tensor:
    """What this rank holds of a tensor."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor
