"""How fast each card computes and reads its memory, as its vendor states it, and what matrix products really reached.

dense   every product is computed; figures "with sparsity" skip half of them, are twice as large, and are never here
mamf    maximum achievable matmul FLOP/s: the best that a search over shapes measured with torch.matmul in bf16
"""

from dataclasses import dataclass

from .catalog import GA102, GPU_SPEED_TABLES, GPUS, ML_ENGINEERING, TORCHTITAN, Gpu, Source
from .errors import Invalid
from .units import GB, TFLOP


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """One card's rates in 1e12 FLOP/s and 1e9 bytes/s, all dense. None: the card does not have it, or none was published.

    ``mamf_tflops`` is None where nobody published a measurement. ``intra`` and ``inter`` name the links that the card
    usually has to others in its node and, per card, to other nodes.
    """

    bf16_tflops: float | None
    fp16_tflops: float | None
    fp8_tflops: float | None
    fp32_tflops: float | None
    hbm_gb_per_s: float
    mamf_tflops: float | None
    intra: str | None
    inter: str | None
    source: Source

    @property
    def hbm_bytes_per_s(self) -> float:
        """Bytes per second that the card's memory delivers at most."""
        return self.hbm_gb_per_s * GB

    def peak_flops(self, compute: str) -> float | None:
        """Dense FLOP/s in a format, ``bf16 fp16 fp8 fp32``; None where the card has none."""
        tflops = getattr(self, f"{compute}_tflops")
        return None if tflops is None else tflops * TFLOP

    @property
    def matmul_frac(self) -> float:
        """The share of the peak that the best matrix product reached; the mean of the measured cards where none was."""
        peak = self.bf16_tflops or self.fp16_tflops
        return MEAN_MATMUL_FRAC if self.mamf_tflops is None or not peak else self.mamf_tflops / peak


def _speed(
    bf16: float | None,
    hbm: float,
    *,
    fp16: float | None = None,
    fp8: float | None = None,
    fp32: float | None = None,
    mamf: float | None = None,
    links: tuple[str | None, str | None] = (None, None),
    source: Source = ML_ENGINEERING,
) -> Speed:
    return Speed(
        bf16_tflops=bf16,
        fp16_tflops=bf16 if fp16 is None else fp16,
        fp8_tflops=fp8,
        fp32_tflops=fp32,
        hbm_gb_per_s=hbm,
        mamf_tflops=mamf,
        intra=links[0],
        inter=links[1],
        source=source,
    )


SPEEDS = {
    "a100-sxm-40gb": _speed(312, 1555, mamf=271.2, links=("nvlink3", "ib-200")),
    "a100-sxm-80gb": _speed(312, 2039, mamf=271.2, links=("nvlink3", "ib-200")),
    "a100-pcie-80gb": _speed(312, 1935, mamf=252.9, links=("pcie4", None)),
    "h100-sxm-80gb": _speed(989, 3350, fp8=1979, mamf=794.5, links=("nvlink4", "ib-400")),
    "h100-pcie-80gb": _speed(756, 2000, fp8=1513, links=("pcie5", "ib-400")),
    "h100-nvl-94gb": _speed(835, 3900),
    # 500 W and HBM2e at 2.4 TB/s, as its own report says; its MFU is stated against the 989 of the 700 W card.
    "h100-sxm-96gb": _speed(989, 2400, fp8=1979, mamf=794.5, links=("nvlink4", "ib-400"), source=TORCHTITAN),
    "h200-sxm-141gb": _speed(989, 4800, fp8=1979, mamf=794.5, links=("nvlink4", "ib-400")),
    "b200-sxm-180gb": _speed(2250, 8000, fp8=4500, mamf=1745.0, links=("nvlink5", "ib-400")),
    "gb200-186gb": _speed(2500, 8000, fp8=5000, mamf=1822.0, links=("nvlink5", "ib-400")),
    "b300-sxm-288gb": _speed(2250, 8000, fp8=4500, mamf=1769.0, links=("nvlink5", "ib-800")),
    "v100-sxm-16gb": _speed(None, 900, fp16=125, links=("nvlink2", None), source=GPU_SPEED_TABLES),
    "v100-sxm-32gb": _speed(None, 900, fp16=125, links=("nvlink2", None), source=GPU_SPEED_TABLES),
    "l40s-48gb": _speed(362, 864, fp8=733, links=("pcie4", None)),
    "rtx-4090-24gb": _speed(165.2, 1008, fp32=82.6, links=("pcie4", None), source=GA102),
    "rtx-3090-24gb": _speed(71.2, 936, fp32=35.6, links=("pcie4", None), source=GA102),
    "a10g-24gb": _speed(70, 600, links=("pcie4", None), source=GPU_SPEED_TABLES),
    "t4-16gb": _speed(None, 320, fp16=65, links=("pcie3", None), source=GPU_SPEED_TABLES),
    "mi300x-192gb": _speed(1307, 5300, fp8=2610, mamf=668.4),
}
# A card is measured once for all its memory sizes; the mean is over the NVIDIA cards above that were.
MEAN_MATMUL_FRAC = (271.2 / 312 + 252.9 / 312 + 794.5 / 989 + 1745.0 / 2250 + 1822.0 / 2500 + 1769.0 / 2250) / 6


def speed_of(gpu: Gpu, compute: str, field: str = "cluster.gpu") -> Speed:
    """The speed of a card that can compute in a format. Raises ``Invalid`` where it has none, or none was published."""
    if gpu.name not in GPUS:
        message = f"{gpu.name} is made up and has no speed; choose a card of the catalogue: {', '.join(SPEEDS)}"
        raise Invalid(field, "not_supported", {"value": gpu.name, "allowed": list(SPEEDS)}, message)
    speed = SPEEDS[gpu.name]
    if speed.peak_flops(compute) is None:
        formats = [name for name in ("bf16", "fp16", "fp8", "fp32") if speed.peak_flops(name) is not None]
        message = f"no {compute} rate is published for {gpu.name}; it has {', '.join(formats)}"
        raise Invalid("recipe.compute", "not_supported", {"value": compute, "allowed": formats}, message)
    return speed
