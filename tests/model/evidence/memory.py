"""Measured bytes beside the model's: sources of the chapter on memory."""

from .. import measured_runs as runs
from . import megatron_memory
from .constants import DEALT, EMBEDDING, LOSS, SLACK
from .links import BIGSCIENCE, PLAYBOOK, PYTORCH, TORCHTITAN
from .score import Held, Measured
from .torch_peaks import torch_peaks, tracked

GIB = "GiB"

SOURCES = (
    Measured(
        key="torch-tracked",
        chapter="memory",
        title="PyTorch, small and real",
        what="The largest allocation of DDP, ZeRO-1 and FSDP2: a small model on two real processes, counted by PyTorch's "
        "own tracker.",
        unit=GIB,
        links=(PYTORCH,),
        files=("torch_memory",),
        score=lambda: tuple(tracked()),
        held=Held(each=0.005),
        set_here=(LOSS,),
    ),
    Measured(
        key="torch-peaks",
        chapter="memory",
        title="PyTorch, true size and pipelines",
        what="The largest allocation of models of true size under PyTorch's fake process group, and what a step adds to "
        "each rank of a small pipeline.",
        unit=GIB,
        links=(PYTORCH,),
        files=("torch_memory",),
        score=torch_peaks,
        held=Held(each=0.03),
        set_here=(LOSS,),
    ),
    *megatron_memory.SOURCES,
    Measured(
        key="torchtitan-memory",
        chapter="memory",
        title="torchtitan, largest reservation",
        what="What PyTorch's allocator reserved at most, over all ranks, on H100 cards of 96 GB: Llama 3 from 8 B to 405 B.",
        unit=GIB,
        links=(TORCHTITAN,),
        files=("torchtitan_memory",),
        score=runs.torchtitan,
        held=Held(median=0.03, each=0.07),
        set_here=(EMBEDDING,),
    ),
    Measured(
        key="bigscience",
        chapter="memory",
        title="BigScience, as nvidia-smi showed it",
        what="Layouts of Megatron-DeepSpeed on A100 cards that BigScience tried for its large models. What the pipeline of "
        "DeepSpeed and its optimizer step hold besides is not modelled, so that the model is too low.",
        unit=GIB,
        links=(BIGSCIENCE,),
        files=("bigscience_memory",),
        score=runs.bigscience,
        held=Held(median=0.17, at_90=0.27),
        by=("pp", "tp"),
    ),
    Measured(
        key="nanotron-memory",
        chapter="memory",
        title="nanotron, memory of a step",
        what="The memory that the Playbook prints for four models under many layouts, on nodes of 8 H100. It is of "
        "the first rank; whether it is allocated or reserved is not said, and reserved is assumed.",
        unit=GIB,
        links=(PLAYBOOK,),
        files=("ultrascale_memory",),
        score=runs.nanotron,
        held=Held(median=0.073, at_90=0.22),
        set_here=(*SLACK, LOSS, DEALT),
        by=("pp", "tp", "zero"),
    ),
    Measured(
        key="nanotron-saved",
        chapter="memory",
        title="nanotron, what ZeRO-1 saved",
        what="The difference between pairs of runs that differ in ZeRO-1 alone, where the model expects it to save more "
        "than 5 GiB. Configurations that the Playbook measured twice differ among themselves by a tenth and more.",
        unit=GIB,
        links=(PLAYBOOK,),
        files=("ultrascale_memory",),
        score=runs.nanotron_savings,
        held=Held(median=0.09, at_90=0.31),
        set_here=(*SLACK, LOSS, DEALT),
    ),
)
