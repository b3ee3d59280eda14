"""Exact figures: constants as their vendors state them, and what a bus bandwidth means."""

from model.catalog import GPUS
from model.collectives import OPS, bus_factor
from model.links import LINKS
from model.speeds import SPEEDS

from ..measured_runs import load
from .links import LLM_ANALYSIS, ML_ENGINEERING, NCCL_TESTS
from .score import Match, exact


def cards():
    """What the driver shows of each card, or its label."""
    for row in load("card_memory"):
        gpu, mib = GPUS[row["name"]], row["nvidia_smi_MiB"]
        published = row["label_GB"] * 10**9 if mib is None else mib * 2**20
        yield Match.equal(row["name"], (row["label_GB"], published), (gpu.label_gb, gpu.capacity_bytes))


def card_rates():
    """Dense FLOP/s and bytes/s of each card."""
    for row in load("gpu_speeds")["rows"]:
        speed = SPEEDS[row["gpu"]]
        published = (
            row["bf16_dense_tflops"],
            row.get("fp16_dense_tflops", row["bf16_dense_tflops"]),
            row.get("fp8_dense_tflops"),
            row["hbm_GBps"],
            row.get("mamf_bf16_tflops", speed.mamf_tflops),
        )
        ours = (speed.bf16_tflops, speed.fp16_tflops, speed.fp8_tflops, speed.hbm_gb_per_s, speed.mamf_tflops)
        yield Match.equal(row["gpu"], published, ours)


def link_rates():
    """GB/s of NVLink and PCIe, and of network links from their names."""
    rates = load("link_rates")
    for link in LINKS.values():
        if link.name.startswith("nvlink"):
            published = rates["nvlink"][link.name]
        elif link.name.startswith("pcie"):
            published = rates["pcie"][f"gen{link.name.removeprefix('pcie')}_x16"]
        else:
            published = int(link.name.partition("-")[2]) / 8
        yield Match.equal(link.name, published, link.rate_gb_per_s)


def bus_factors():
    """What nccl-tests multiply an algorithm's bandwidth with, for each collective and several sizes of group."""
    published = load("collectives")["busbw_factor"]
    for op in OPS:
        if op != "send":
            for n in (2, 3, 8, 64):
                formula = published[op.replace("-", "_")]
                expected = {"2(n-1)/n": 2 * (n - 1) / n, "(n-1)/n": (n - 1) / n, 1: 1}[formula]
                yield Match.equal(f"{op} of {n}", expected, bus_factor(op, n))


SOURCES = (
    exact(
        "cards",
        "constants",
        "Memory of the cards",
        "as nvidia-smi or the label says",
        cards,
        (ML_ENGINEERING,),
        "card_memory",
    ),
    exact(
        "card-rates",
        "constants",
        "Peaks and memory rates of the cards, all dense",
        "as published",
        card_rates,
        (ML_ENGINEERING, LLM_ANALYSIS),
        "gpu_speeds",
    ),
    exact("link-rates", "constants", "Rates of the links", "as published", link_rates, (ML_ENGINEERING,), "link_rates"),
    exact(
        "bus-factors",
        "constants",
        "What a bus bandwidth means",
        "as nccl-tests define it",
        bus_factors,
        (NCCL_TESTS,),
        "collectives",
    ),
)
