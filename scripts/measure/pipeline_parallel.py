"""The network cut into the stages of a pipeline, under one of PyTorch's own schedules."""

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.pipelining import PipelineStage
from torch.distributed.pipelining.schedules import PipelineScheduleMulti, get_schedule_class

from model.layout import split_layers

from .network import Gpt, loss_of
from .place import Place
from .precision import computing, kept_in
from .sizes import SIZES, Size
from .splits import SCHEDULES, micro_batches, stages_of


def pipeline(network: Gpt, asked: dict[str, Any], place: Place) -> tuple[nn.Module, Callable]:
    """This rank's stages, and a pass over a batch whose loss every rank gets. The weights are those of ``network``."""
    size, schedule, ranks = SIZES[asked["size"]], asked["schedule"], place.world
    stages = ranks * SCHEDULES[schedule][1]
    own = stages_of(schedule, ranks, place.rank)
    modules = nn.ModuleList(_stage(network, size, index, stages, asked["precision"], place) for index in own)
    parts = [PipelineStage(module, index, stages, place.device) for module, index in zip(modules, own, strict=True)]
    kind = get_schedule_class(schedule)
    given = parts if issubclass(kind, PipelineScheduleMulti) else parts[0]
    planned = kind(given, micro_batches(ranks), loss_fn=loss_of)

    def run(tokens: Tensor, wanted: Tensor) -> Tensor:
        losses: list[Tensor] = []
        ends = {"target": wanted, "losses": losses} if stages - 1 in own else {}
        with computing(asked["precision"], place.device):
            planned.step(*([tokens] if 0 in own else []), **ends)
        loss = torch.stack(losses).mean() if losses else torch.zeros((), device=place.device)
        dist.all_reduce(loss)  # one rank has it, the others add zero
        return loss

    return modules, run


def _stage(network: Gpt, size: Size, index: int, stages: int, precision: str, place: Place) -> Gpt:
    counts = split_layers(size.layers, stages)
    start = sum(counts[:index])
    made = Gpt(
        size,
        layers=range(start, start + counts[index]),
        first=index == 0,
        last=index == stages - 1,
        device=place.device,
        dtype=kept_in(precision),
    )
    weights = network.state_dict()
    made.load_state_dict({name: weights[name] for name in made.state_dict()})
    return made
