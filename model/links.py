"""Links between GPUs: what each carries one way per GPU, its latency, and what was measured on it; with sources."""

import re
from dataclasses import dataclass

from .catalog import LINE_RATES, ML_ENGINEERING, NCCL_TUNING, Source
from .errors import Invalid, unknown_value


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One kind of link. The rate is one way, per GPU, as published for the hardware; nothing reaches it in full.

    ``latency_us`` is the time of one step (α) of a ring or tree; ``nvls_latency_us`` of one pass through a switch that
    adds up by itself, or None where there is no such switch. ``measured_gb_per_s`` is the bus bandwidth that NVIDIA
    published for all-reduce over this link (``catalog.NCCL_TALKS``), ``measured_nvls_gb_per_s`` the same added up in
    the switch, on 8 GPUs.
    """

    name: str
    rate_gb_per_s: float
    latency_us: float
    rate_source: Source | None  # None: given by the reader
    latency_source: Source | None
    nvls_latency_us: float | None = None
    measured_gb_per_s: float | None = None
    measured_nvls_gb_per_s: float | None = None

    def step_us(self, algorithm: str) -> float:
        """α: one step of an algorithm on this link."""
        if algorithm == "nvls" and self.nvls_latency_us is not None:
            return self.nvls_latency_us
        return self.latency_us


def _nvlink(generation: int, rate: float, latency: float, latency_source: Source = ML_ENGINEERING, **more) -> Link:
    return Link(
        name=f"nvlink{generation}",
        rate_gb_per_s=rate,
        latency_us=latency,
        rate_source=ML_ENGINEERING,
        latency_source=latency_source,
        **more,
    )


def _pcie(generation: int, rate: float, measured: float | None, source: Source = ML_ENGINEERING) -> Link:
    return Link(
        name=f"pcie{generation}",
        rate_gb_per_s=rate,
        latency_us=5.7,
        rate_source=source,
        latency_source=NCCL_TUNING,
        measured_gb_per_s=measured,
    )


def _net(kind: str, gbps: int, measured: float | None = None) -> Link:
    return Link(
        name=f"{kind}-{gbps}",
        rate_gb_per_s=gbps / 8,
        latency_us=14.0,
        rate_source=LINE_RATES,
        latency_source=NCCL_TUNING,
        measured_gb_per_s=measured,
    )


# NVLink 3, 4 and 5: 14 steps of a 32 KiB all-reduce on 8 A100, H200 and B200 took 43.83, 39.82 and 47.79 µs
# (ml-engineering, network benchmarks); less than 0.2 µs of that is transfer. The others, and the network: NCCL's
# own latency of one ring step with its Simple protocol. A pass through an NVLink switch that adds up: NCCL's 25 µs.
LINKS = {
    link.name: link
    for link in (
        _nvlink(1, 80, 3.4, NCCL_TUNING),
        _nvlink(2, 150, 3.4, NCCL_TUNING, measured_gb_per_s=122),
        _nvlink(3, 300, 3.1, measured_gb_per_s=232),
        _nvlink(4, 450, 2.8, nvls_latency_us=25.0, measured_gb_per_s=370, measured_nvls_gb_per_s=480),
        _nvlink(5, 900, 3.4, nvls_latency_us=25.0, measured_gb_per_s=700, measured_nvls_gb_per_s=850),
        _pcie(3, 15.75, None, LINE_RATES),
        _pcie(4, 31, 24),
        _pcie(5, 63, 48),
        _pcie(6, 121, 96),
        _net("ib", 100),
        _net("ib", 200, 24),
        _net("ib", 400, 48),
        _net("ib", 800),
        _net("eth", 10),
        _net("eth", 100, 10),
    )
}
OWN = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?):([0-9]{1,9}(?:\.[0-9]{1,9})?)")


def link_named(name: object, field: str) -> Link:
    """A link of the catalogue, or one's own as ``"GB/s:µs"``: ``"50:5"`` carries 50 GB/s with 5 µs a step.

    Raises ``Invalid`` for another name, and for a rate of 0.
    """
    own = OWN.fullmatch(name) if isinstance(name, str) else None
    if own:
        rate, latency = float(own[1]), float(own[2])
        if not rate:
            raise Invalid(field, "out_of_range", {"value": name}, f"{name} carries nothing; give more than 0 GB/s")
        return Link(
            name=str(name),
            rate_gb_per_s=rate,
            latency_us=latency,
            rate_source=None,
            latency_source=None,
            nvls_latency_us=latency,
        )
    if not isinstance(name, str) or name not in LINKS:
        raise unknown_value(field, name, LINKS, ', or "GB/s:µs" such as "50:5"')
    return LINKS[name]
