"""What a collective puts on the wire and how long it takes: bytes for each rank, and α–β time over each link tier.

Glossary:

S        bytes of the whole array, as in nccl-tests: for all-gather what every rank ends with, for reduce-scatter
         what every rank starts with
n        ranks of the group; g of them on each node, k = n/g nodes
α        time of one step on a link: n − 1 steps pass a ring once
β        bytes per second of a link, one way, per GPU
algbw    algorithm bandwidth, S / time
busbw    bus bandwidth, algbw times a factor of the operation alone, so that a ring shows the rate of its links;
         an all-reduce in the switch may show more than that (NVIDIA nccl-tests, doc/PERFORMANCE.md)
"""

from dataclasses import dataclass

from .catalog import NCCL_TALKS
from .errors import Invalid, unknown_value
from .links import Link
from .units import GB, US_PER_S

OPS = ("all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast", "send")
ALGORITHMS = ("ring", "tree", "nvls")
MEASURED_ON = 8  # GPUs of the published bus bandwidths


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """n ranks that take part, g on each node; ``inter`` joins the nodes and is None where there is one."""

    ranks: int
    per_node: int
    link: Link
    inter: Link | None

    @classmethod
    def checked(cls, *, ranks: int, per_node: int | None, link: Link, inter: Link | None) -> "Group":
        """A group of ``ranks``, packed ``per_node`` to a node; None means that ``link`` joins them all.

        Raises ``Invalid`` for ``ranks``, ``ranks_per_node`` or ``inter_link``.
        """
        for field, value in (("ranks", ranks), ("ranks_per_node", per_node)):
            if value is not None and value < 1:
                message = f"it must be at least 1; it is {value}"
                raise Invalid(field, "out_of_range", {"value": value, "least": 1}, message)
        if per_node is None and inter is not None:
            raise Invalid("ranks_per_node", "missing_field", {}, "give it too, to say which ranks the inter link joins")
        if per_node is None or ranks <= per_node:
            return cls(ranks=ranks, per_node=ranks, link=link, inter=None)
        values = {"ranks": ranks, "ranks_per_node": per_node}
        if inter is None:
            message = f"{ranks} ranks at {per_node} a node span nodes; give the link between nodes"
            raise Invalid("inter_link", "missing_field", values, message)
        if ranks % per_node:
            message = f"{ranks} ranks do not fill nodes of {per_node}; use a multiple of {per_node}"
            raise Invalid("ranks", "not_divisible", values, message)
        return cls(ranks=ranks, per_node=per_node, link=link, inter=inter)

    @property
    def nodes(self) -> int:
        """How many nodes the group spans."""
        return self.ranks // self.per_node


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """One tier of links in a collective. ``sent_bytes``: by the busiest rank on it, rounded up."""

    name: str  # intra or inter
    link: Link
    steps: int
    sent_bytes: int
    latency_s: float
    transfer_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """A collective's price. Latencies of the tiers add up; their transfers overlap, so the slowest one counts."""

    op: str
    size_bytes: int
    ranks: int
    sent_bytes: int  # by the busiest rank over all its links, rounded up
    tiers: tuple[Tier, ...]

    @property
    def time_s(self) -> float:
        """α · steps + bytes / β over the slowest tier."""
        return sum(tier.latency_s for tier in self.tiers) + max((tier.transfer_s for tier in self.tiers), default=0.0)

    @property
    def algbw_gb_per_s(self) -> float | None:
        """S / time; None where nothing is sent."""
        return self.size_bytes / self.time_s / GB if self.time_s else None

    @property
    def busbw_gb_per_s(self) -> float | None:
        """The bus bandwidth as nccl-tests define it, whatever the algorithm."""
        algbw = self.algbw_gb_per_s
        return None if algbw is None else algbw * bus_factor(self.op, self.ranks)


def bus_factor(op: str, ranks: int) -> float:
    """The factor from algorithm to bus bandwidth. Source: NVIDIA nccl-tests, doc/PERFORMANCE.md."""
    if op in ("broadcast", "send"):
        return 1.0
    return (2 if op == "all-reduce" else 1) * (ranks - 1) / ranks


def collective(op: str, size_bytes: int, group: Group, algorithm: str = "ring", *, achieved: bool = False) -> Cost:
    """Bytes and time of one collective over S = ``size_bytes``.

    A ring over full nodes crosses each node's border once and is spread over the node's g links to the network, as
    NCCL's are, so a rank's own link carries 1/g of what its link within the node does. At the links' published rates
    the time is a lower bound; ``achieved`` scales each by the share that NVIDIA measured for all-reduce on it (and
    uses that share for the other operations too). Against measured sweeps that is within a few per cent for small and
    large arrays, and up to 40 % too short from 0.5 to 64 MiB, where NCCL changes from one protocol to another.
    Raises ``Invalid`` for ``op``, ``bytes``, ``algorithm``, and, under ``achieved``, for a link never measured.
    """
    if op not in OPS:
        raise unknown_value("op", op, OPS)
    if algorithm not in ALGORITHMS:
        raise unknown_value("algorithm", algorithm, ALGORITHMS)
    if size_bytes < 1:
        message = f"it must be at least 1; it is {size_bytes}"
        raise Invalid("bytes", "out_of_range", {"value": size_bytes, "least": 1}, message)
    if algorithm != "ring" and op != "all-reduce":
        message = f"{algorithm} is for all-reduce only; {op} runs as ring"
        raise Invalid("algorithm", "not_supported", {"value": algorithm, "op": op}, message)
    if algorithm == "nvls":
        _check_switch(group)
    (whole, parts), loads = _loads(op, algorithm, group.ranks, group.per_node, group.nodes)
    tiers = []
    for name, link, (share, of, steps) in zip(("intra", "inter"), (group.link, group.inter), loads, strict=True):
        if link is not None and steps:
            rate = achieved_rate(link, algorithm) if achieved else link.rate_gb_per_s
            tier = Tier(
                name=name,
                link=link,
                steps=steps,
                sent_bytes=-(-share * size_bytes // of),
                latency_s=steps * link.step_us(algorithm) / US_PER_S,
                transfer_s=share * size_bytes / of / (rate * GB),
            )
            tiers.append(tier)
    sent = -(-whole * size_bytes // parts)
    return Cost(op=op, size_bytes=size_bytes, ranks=group.ranks, sent_bytes=sent, tiers=tuple(tiers))


Share = tuple[int, int]
Load = tuple[int, int, int]


def _loads(op: str, algorithm: str, n: int, g: int, k: int) -> tuple[Share, tuple[Load, Load]]:
    """What the busiest rank sends, as (numerator, denominator) of S; and the same with its steps, for each tier."""
    if op == "send":
        return (int(n > 1), 1), ((1, 1, int(k == 1 < n)), (1, 1, int(k > 1)))
    if op == "all-to-all":  # a rank's n-th part of the array goes straight to each other rank
        return (n - 1, n), ((g - 1, n, g - 1), (n - g, n, n - g))
    if algorithm == "nvls":
        # Each rank's array goes up to the switch once, and its n-th of the sum goes out again: S + S/n.
        sent = n + 1 if n > 1 else 0
        return (sent, n), ((sent, n, 2 if n > 1 else 0), (0, 1, 0))
    if algorithm == "tree":
        # Up once and down once, S each: NCCL counts its double binary tree at half its links' rate (tuning.cc).
        local, across = 2 * (g - 1).bit_length(), 2 * (k - 1).bit_length()
        return (min(2, n - 1), 1), ((min(2, g - 1), 1, local), (min(2, k - 1), g, across))
    # Ring. Source: NVIDIA nccl-tests, doc/PERFORMANCE.md; steps between nodes as in NCCL's tuning.cc.
    passes = 2 if op == "all-reduce" else 1
    sent = n * int(n > 1) if op == "broadcast" else passes * (n - 1)
    return (sent, n), ((sent, n, passes * (n - k)), (sent, n * g, passes * (k - 1)))


def achieved_rate(link: Link, algorithm: str) -> float:
    """GB/s at which the busiest rank's bytes really leave, from NVIDIA's published all-reduce on 8 GPUs.

    Raises ``Invalid`` where none was published. Source: ``catalog.NCCL_TALKS``.
    """
    measured = {"ring": link.measured_gb_per_s, "nvls": link.measured_nvls_gb_per_s}.get(algorithm)
    if measured is None:
        message = f"no all-reduce by {algorithm} over {link.name} was published ({NCCL_TALKS.title})"
        raise Invalid("link", "not_supported", {"link": link.name, "algorithm": algorithm}, message)
    if algorithm == "nvls":  # from bus bandwidth back to what leaves a rank, (n + 1)/n of the array
        return measured * (MEASURED_ON + 1) / (2 * (MEASURED_ON - 1))
    return measured


def _check_switch(group: Group) -> None:
    if group.nodes > 1:
        values = {"ranks": group.ranks, "ranks_per_node": group.per_node}
        message = f"nvls adds up inside one NVLink domain; {group.ranks} ranks at {group.per_node} a node span several"
        raise Invalid("algorithm", "not_supported", values, message)
    if group.link.nvls_latency_us is None:
        message = f"{group.link.name} has no switch that adds up; nvls needs nvlink4 or nvlink5"
        raise Invalid("algorithm", "not_supported", {"link": group.link.name}, message)
