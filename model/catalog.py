"""Constants of the lesson's running example, of GPUs and of published tables, each with its source."""

import re
from dataclasses import dataclass

from .errors import unknown_value
from .units import GB, MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a value was published. ``what`` says in a few words what was taken from it."""

    title: str
    url: str
    what: str


ZERO_PAPER = Source(
    title="Rajbhandari et al.: ZeRO: Memory Optimizations Toward Training Trillion Parameter Models (2020)",
    url="https://arxiv.org/abs/1910.02054",
    what="bytes of model states for each stage, Table 1, Figure 1, communication volume (section 7)",
)
MEGATRON_PAPER = Source(
    title="Narayanan et al.: Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM (2021)",
    url="https://arxiv.org/abs/2104.04473",
    what="tensor and pipeline parallelism, the pipeline bubble, 3D parallelism",
)
MEGATRON_2019 = Source(
    title="Shoeybi et al.: Megatron-LM: Training Multi-Billion Parameter Models Using Model Parallelism (2019)",
    url="https://arxiv.org/abs/1909.08053",
    what="a column-cut matrix paired with a row-cut one",
)
MIXED_PRECISION = Source(
    title="Micikevicius et al.: Mixed Precision Training (2018)",
    url="https://arxiv.org/abs/1710.03740",
    what="16-bit weights and gradients with a 32-bit master copy",
)
ADAM = Source(
    title="Kingma, Ba: Adam: A Method for Stochastic Optimization (2015)",
    url="https://arxiv.org/abs/1412.6980",
    what="first and second moment for each parameter",
)
FSDP = Source(
    title="Zhao et al.: PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel (2023)",
    url="https://arxiv.org/abs/2304.11277",
    what="how PyTorch shards parameters, gradients and optimizer state",
)
ML_ENGINEERING = Source(
    title="Bekman: Machine Learning Engineering Open Book, accelerator tables",
    url="https://github.com/stas00/ml-engineering",
    what="memory of accelerators and rates of links as their vendors state them; all-reduce times",
)
NVIDIA_SMI = Source(
    title="nvidia-smi, total memory as the driver reports it",
    url="https://docs.nvidia.com/deploy/nvidia-smi/",
    what="memory in MiB that a card really offers",
)
TORCHTITAN = Source(
    title="torchtitan, Llama 3 benchmark on H100 (December 2024)",
    url="https://github.com/pytorch/torchtitan",
    what="the 96 GB H100 of its measured rows",
)
NCCL_TUNING = Source(
    title="NVIDIA NCCL, src/graph/tuning.cc",
    url="https://github.com/NVIDIA/nccl",
    what="latency of one step on each kind of link, and of an all-reduce inside the switch",
)
NCCL_TESTS = Source(
    title="NVIDIA nccl-tests, doc/PERFORMANCE.md",
    url="https://github.com/NVIDIA/nccl-tests",
    what="what the size, the algorithm bandwidth and the bus bandwidth of a collective mean",
)
NCCL_TALKS = Source(
    title="NVIDIA: NCCL talks at GTC 2024 (S62129) and GTC 2025 (S72583), slides in Machine Learning Engineering",
    url="https://github.com/stas00/ml-engineering/tree/master/network",
    what="bus bandwidth that all-reduce reaches on each kind of link",
)
LINE_RATES = Source(
    title="PCI-SIG frequently asked questions; InfiniBand and Ethernet line rates",
    url="https://pcisig.com/faq",
    what="PCIe 3.0: 16 lanes of 8 GT/s with 128b/130b coding; a link of N Gb/s carries N/8 GB/s",
)
GPU_SPEED_TABLES = Source(
    title="llm-analysis, GPU configurations; Composer and Lightning, tables of peak FLOP/s",
    url="https://github.com/cli99/llm-analysis",
    what="dense peaks and memory rates of cards that Machine Learning Engineering does not list",
)
GA102 = Source(
    title="NVIDIA: Ampere GA102 GPU Architecture, and Ada GPU Architecture (white papers)",
    url="https://www.nvidia.com/content/PDF/nvidia-ampere-ga-102-gpu-architecture-whitepaper-v2.pdf",
    what="tensor-core peaks of GeForce cards with 32-bit accumulation, which training needs",
)
SOURCES = (
    ZERO_PAPER,
    MEGATRON_PAPER,
    MEGATRON_2019,
    MIXED_PRECISION,
    ADAM,
    FSDP,
    ML_ENGINEERING,
    NVIDIA_SMI,
    TORCHTITAN,
    NCCL_TUNING,
    NCCL_TESTS,
    NCCL_TALKS,
    LINE_RATES,
    GPU_SPEED_TABLES,
    GA102,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """A card. ``capacity_bytes`` is what nvidia-smi shows; ``from_label``: only the label is published."""

    name: str
    title: str
    label_gb: int
    capacity_bytes: int
    from_label: bool
    source: Source

    @property
    def capacity_from(self) -> str:
        """Where the capacity is from: ``nvidia-smi``; or ``label``, its gigabytes, where no such figure is published."""
        return "label" if self.from_label else "nvidia-smi"


def _gpu(name: str, title: str, label_gb: int, smi_mib: int | None, source: Source = NVIDIA_SMI) -> Gpu:
    capacity = label_gb * GB if smi_mib is None else smi_mib * MIB
    return Gpu(
        name=name,
        title=title,
        label_gb=label_gb,
        capacity_bytes=capacity,
        from_label=smi_mib is None,
        source=ML_ENGINEERING if smi_mib is None and source is NVIDIA_SMI else source,
    )


GPUS = {
    gpu.name: gpu
    for gpu in (
        _gpu("a100-sxm-40gb", "NVIDIA A100 SXM 40 GB", 40, 40_960),
        _gpu("a100-sxm-80gb", "NVIDIA A100 SXM 80 GB", 80, 81_920),
        _gpu("a100-pcie-80gb", "NVIDIA A100 PCIe 80 GB", 80, 81_920),
        _gpu("h100-sxm-80gb", "NVIDIA H100 SXM 80 GB", 80, 81_559),
        _gpu("h100-pcie-80gb", "NVIDIA H100 PCIe 80 GB", 80, 81_559),
        _gpu("h100-nvl-94gb", "NVIDIA H100 NVL 94 GB", 94, None),
        _gpu("h100-sxm-96gb", "NVIDIA H100 SXM 96 GB", 96, None, TORCHTITAN),
        _gpu("h200-sxm-141gb", "NVIDIA H200 SXM 141 GB", 141, 143_771),
        _gpu("b200-sxm-180gb", "NVIDIA B200 SXM 180 GB", 180, 183_359),
        _gpu("gb200-186gb", "NVIDIA GB200 186 GB", 186, 189_471),
        _gpu("b300-sxm-288gb", "NVIDIA B300 SXM 288 GB", 288, None),
        _gpu("v100-sxm-16gb", "NVIDIA V100 SXM 16 GB", 16, 16_160),
        _gpu("v100-sxm-32gb", "NVIDIA V100 SXM 32 GB", 32, 32_510),
        _gpu("l40s-48gb", "NVIDIA L40S 48 GB", 48, 46_068),
        _gpu("rtx-4090-24gb", "NVIDIA GeForce RTX 4090 24 GB", 24, 24_564),
        _gpu("rtx-3090-24gb", "NVIDIA GeForce RTX 3090 24 GB", 24, 24_576),
        _gpu("a10g-24gb", "NVIDIA A10G 24 GB", 24, 23_028),
        _gpu("t4-16gb", "NVIDIA T4 16 GB", 16, 15_360),
        _gpu("mi300x-192gb", "AMD Instinct MI300X 192 GB", 192, None),
    )
}
CARD = re.compile(r"card-([1-9][0-9]{0,5})gb")


def gpu_named(name: str, field: str = "cluster.gpu") -> Gpu:
    """A card of the catalogue, or the lesson's ``card-<N>gb`` of exactly N x 1e9 bytes; else raises ``Invalid``."""
    made_up = CARD.fullmatch(name) if isinstance(name, str) else None
    if made_up:
        label_gb = int(made_up[1])
        return Gpu(
            name=name,
            title=f"{label_gb} GB card",
            label_gb=label_gb,
            capacity_bytes=label_gb * GB,
            from_label=True,
            source=ZERO_PAPER,
        )
    if not isinstance(name, str) or name not in GPUS:
        raise unknown_value(field, name, GPUS, ", or card-<N>gb for a card of exactly N GB")
    return GPUS[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """The running example of all pages, and where each page starts. Change it here and every page follows."""

    parameters: int
    preset: str
    card: str
    replicas: int  # node 01 starts with this many GPUs
    samples_per_gpu: int
    layers: int
    degree: int  # node 02 starts with this degree
    uneven_degree: int  # one that does not divide the layers
    gpus: int  # node 03 starts with this many GPUs
    many_gpus: int
    source: Source

    @property
    def card_gpu(self) -> Gpu:
        """The card of the example."""
        return gpu_named(self.card)


EXAMPLE = Example(
    parameters=7_500_000_000,
    preset="zero-paper",
    card="card-80gb",
    replicas=4,
    samples_per_gpu=8,
    layers=24,
    degree=3,
    uneven_degree=5,
    gpus=8,
    many_gpus=64,
    source=ZERO_PAPER,
)

# What Figure 1 of the ZeRO paper prints, in GB: 7.5 B parameters, 64 GPUs, Adam in mixed precision, by stage.
ZERO_FIGURE_1_GB = {0: 120, 1: 31.4, 2: 16.6, 3: 1.9}
