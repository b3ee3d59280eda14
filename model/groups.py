"""Which ranks talk to each other, and over which links: groups laid over the cluster's nodes.

Ranks are numbered with tensor parallelism fastest, then context, data and pipeline parallelism, so that those who talk
most sit closest: Megatron-LM (parallel_state, order tp-cp-ep-dp-pp), torchtitan (ParallelDims) and nanotron
(ParallelContext) do the same. A group takes every ``stride``-th rank. Experts are laid over dp x cp x tp anew: their
own tensor degree fastest, then expert parallelism, then their replicas.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from .collectives import Group, collective
from .layout import Layout
from .links import LINKS, Link, link_named

FAMILIES = ("nvlink", "pcie", "ib", "eth")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wires:
    """The links of a cluster at the rates that collectives reach on them."""

    per_node: int
    intra: Link
    inter: Link

    @classmethod
    def from_plan(cls, cluster: dict) -> "Wires":
        """The links that a plan's ``cluster`` object names."""
        return cls(
            per_node=cluster["gpus_per_node"],
            intra=working(link_named(cluster["intra"], "cluster.intra")),
            inter=working(link_named(cluster["inter"], "cluster.inter")),
        )

    def group(self, ranks: int, stride: int = 1) -> Group:
        """``ranks`` ranks, each ``stride`` after the one before; as many to a node as fit and divide them."""
        if ranks * stride <= self.per_node:
            return Group(ranks=ranks, per_node=ranks, link=self.intra, inter=None)
        fit = max(1, self.per_node // stride)
        on_node = next(number for number in range(min(fit, ranks), 0, -1) if ranks % number == 0)
        if on_node == ranks:
            return Group(ranks=ranks, per_node=ranks, link=self.intra, inter=None)
        return Group(ranks=ranks, per_node=on_node, link=self.intra, inter=self.inter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """The groups of one layout; each is None-free and has one rank where the layout does not split."""

    tensor: Group
    context: Group
    shard: Group  # ranks that share one sharded copy of a dense weight
    copies: Group  # groups like that, which add up their parts
    expert_tensor: Group
    expert: Group
    expert_shard: Group
    expert_copies: Group
    pipeline: Group  # two neighbours

    @classmethod
    def of(cls, layout: Layout, wires: Wires) -> "Groups":
        """The groups of a layout on a cluster."""
        shard, expert_shard = layout.shard_ranks, layout.expert_shard_ranks
        experts = layout.etp * layout.ep
        whole = layout.tp * layout.cp * layout.dp
        neighbours = wires.group(min(2, layout.pp), whole)
        if layout.pp * whole > wires.per_node > whole:
            neighbours = Group(ranks=2, per_node=1, link=wires.intra, inter=wires.inter)  # the slowest of the borders
        return cls(
            tensor=wires.group(layout.tp),
            context=wires.group(layout.cp, layout.tp),
            shard=wires.group(shard, layout.tp),
            copies=wires.group(layout.replicas // shard, layout.tp * shard),
            expert_tensor=wires.group(layout.etp),
            expert=wires.group(layout.ep, layout.etp),
            expert_shard=wires.group(expert_shard, experts),
            expert_copies=wires.group(layout.replicas * layout.tp // (experts * expert_shard), experts * expert_shard),
            pipeline=neighbours,
        )


def working(link: Link) -> Link:
    """A link at the rate that collectives reach on it: NVIDIA's published bus bandwidth of all-reduce.

    Where none was published, the median share of the links of its family that were measured; a link given as
    ``"GB/s:µs"`` is taken at its word.
    """
    if link.rate_source is None:
        return link
    if link.measured_gb_per_s is not None:
        return replace(link, rate_gb_per_s=float(link.measured_gb_per_s))
    family = next(name for name in FAMILIES if link.name.startswith(name))
    shares = sorted(
        other.measured_gb_per_s / other.rate_gb_per_s
        for other in LINKS.values()
        if other.name.startswith(family) and other.measured_gb_per_s is not None
    )
    return replace(link, rate_gb_per_s=link.rate_gb_per_s * shares[len(shares) // 2])


@lru_cache(maxsize=4096)
def price(op: str, size_bytes: int, group: Group) -> tuple[int, float]:
    """Bytes that the busiest rank sends, by ring, and seconds.

    An all-reduce takes a tree where that is quicker. An all-to-all starts its sends to all ranks at once, so that each
    tier's latency counts once (NCCL groups them: ncclGroupStart, user guide, point-to-point communication).
    """
    if group.ranks == 1 or size_bytes < 1:
        return 0, 0.0
    ring = collective(op, size_bytes, group)
    if op == "all-to-all":
        return ring.sent_bytes, max(tier.transfer_s + tier.latency_s / tier.steps for tier in ring.tiers)
    if op != "all-reduce":
        return ring.sent_bytes, ring.time_s
    return ring.sent_bytes, min(ring.time_s, collective(op, size_bytes, group, "tree").time_s)
