"""Measured collectives beside the model's: sources of the chapter on messages."""

from functools import lru_cache

from model.collectives import Group, collective
from model.links import link_named

from ..measured_runs import load
from .constants import LATENCY, RATES
from .links import ML_ENGINEERING
from .score import Held, Measured, Scored

ENOUGH = 2**50  # bytes beside which no latency counts
GIB = 2**30
NVLINK = {"A100": "nvlink3", "H200": "nvlink4", "B200": "nvlink5"}
# Two rows are not here: they add up in InfiniBand switches, or in a domain of 32 GPUs, which is not modelled.
SLIDES = {
    "PCI Gen4": {"link": "pcie4"},
    "PCI Gen5": {"link": "pcie5"},
    "PCI Gen6": {"link": "pcie6"},
    "NVLink2 V100": {"link": "nvlink2"},
    "NVLink3 A100": {"link": "nvlink3"},
    "NVLink4 H100": {"link": "nvlink4"},
    "NVLink4 SHARP H100": {"link": "nvlink4", "algorithm": "nvls"},
    "NVLink5 B200": {"link": "nvlink5"},
    "NVLink5 SHARP B200": {"link": "nvlink5", "algorithm": "nvls"},
    "100GbE TCP": {"link": "eth-100"},
    "200Gb RDMA": {"link": "ib-200"},
    "400Gb RDMA": {"link": "ib-400"},
    "DGX A100 8x200Gb": {"link": "nvlink3", "per_node": 8, "inter": "ib-200", "ranks": 32},
    "DGX H100 8x400Gb": {"link": "nvlink4", "per_node": 8, "inter": "ib-400", "ranks": 32},
    "DGX H100 8x400Gb (GTC25 slide)": {"link": "nvlink4", "per_node": 8, "inter": "ib-400", "ranks": 32},
    "GB200 NVL72 NVLink 32 GPU": {"link": "nvlink5", "ranks": 32},
}


def all_reduce(size, ranks, link, *, per_node=None, inter=None, algorithm="ring", achieved=True):
    """An all-reduce at the rates that links were measured at, or at those of the hardware."""
    group = Group.checked(
        ranks=ranks,
        per_node=per_node,
        link=link_named(link, "link"),
        inter=None if inter is None else link_named(inter, "inter_link"),
    )
    return collective("all-reduce", size, group, algorithm, achieved=achieved)


@lru_cache
def slides():
    """NVIDIA's bus bandwidths: each row is a link's own measurement, or follows from them."""
    return tuple(
        Scored(
            name=row["setup"],
            measured=row["busbw_GBps"],
            predicted=all_reduce(ENOUGH, **{"ranks": 8, **SLIDES[row["setup"]]}).busbw_gb_per_s,
            row=row,
        )
        for row in load("collectives")["slides"]
        if row["setup"] in SLIDES
    )


@lru_cache
def one_node():
    """From 32 KiB to 16 GiB on a node; of a ring and the switch, NCCL takes the quicker."""
    scored = []
    for row in load("collectives")["measurements"]:
        if row["nodes"] == 1:
            algorithms = ["ring"] if row["gpu"] == "A100" else ["ring", "nvls"]
            prices = [all_reduce(row["bytes"], 8, NVLINK[row["gpu"]], algorithm=name).time_s for name in algorithms]
            name = f"8 {row['gpu']}, {row['bytes']} bytes"
            scored.append(Scored(name=name, measured=row["time_us"], predicted=min(prices) * 1e6, row=row))
    return tuple(scored)


@lru_cache
def four_nodes():
    """B200 nodes over 8 x 400 Gb/s EFA, whose latencies are those of no InfiniBand: the large ones."""
    return tuple(
        Scored(
            name=f"4 nodes of 8 {row['gpu']}, {row['bytes']} bytes",
            measured=row["time_us"],
            predicted=all_reduce(row["bytes"], 32, "nvlink5", per_node=8, inter="ib-400").time_s * 1e6,
            row=row,
        )
        for row in load("collectives")["measurements"]
        if row["nodes"] == 4 and row["bytes"] >= GIB
    )


@lru_cache
def rings():
    """Rings of 4 to 8 GPUs, which do not depend on how many take part."""
    return tuple(
        Scored(
            name=f"{row['gpus']} {row['gpu']}",
            measured=row["busbw_ring_GBps"],
            predicted=all_reduce(row["bytes"], row["gpus"], NVLINK[row["gpu"]]).busbw_gb_per_s,
            row=row,
        )
        for row in load("collectives")["sharp"]
    )


SOURCES = (
    Measured(
        key="slides",
        chapter="messages",
        title="NVIDIA's slides",
        what="Bus bandwidth of large all-reduces over each kind of link, and over several nodes.",
        unit="GB/s",
        links=(ML_ENGINEERING,),
        files=("collectives",),
        score=slides,
        held=Held(each=0.03),
        set_here=(RATES,),
    ),
    Measured(
        key="one-node",
        chapter="messages",
        title="All-reduces on one node",
        what="Times of small and large all-reduces on 8 A100, H200 or B200.",
        unit="µs",
        links=(ML_ENGINEERING,),
        files=("collectives",),
        score=one_node,
        held=Held(median=0.07, each=0.45),
        set_here=(LATENCY,),
    ),
    Measured(
        key="four-nodes",
        chapter="messages",
        title="All-reduces on four nodes",
        what="Times of large all-reduces on 32 B200, over a network that is not InfiniBand.",
        unit="µs",
        links=(ML_ENGINEERING,),
        files=("collectives",),
        score=four_nodes,
        held=Held(each=0.05),
    ),
    Measured(
        key="rings",
        chapter="messages",
        title="Rings of fewer GPUs",
        what="Bus bandwidth of rings of four to eight H200 or B200.",
        unit="GB/s",
        links=(ML_ENGINEERING,),
        files=("collectives",),
        score=rings,
        held=Held(each=0.04),
    ),
)
