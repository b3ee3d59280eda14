"""Where the host is what takes the time: Python asks for kernels one by one, and a quick card waits for it.

The times are those of an implementation as it was measured; no model's size and no degree of tensor parallelism within
a node changes them. They are a floor of a layer's time: a layer that takes longer hides them.
"""

from dataclasses import dataclass

from .groups import Groups
from .training import Training
from .units import US_PER_S

FORWARD_SHARE = 1 / 3  # a backward launches about twice as many kernels


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """Host times of one layer and micro-batch, forward and backward together.

    ``layer_us``            to launch its kernels
    ``node_us``             more for each further node that tensor parallelism spans
    ``crossing_us``         what a layer takes at least where the pipeline crosses nodes beside tensor parallelism:
    ``crossing_each_us``    the first, and the second for each tensor-parallel rank
    ``stall_gpus``          from so many GPUs on, each micro-batch waits ``stall_s`` for every neighbour in the pipeline
    """

    layer_us: float
    node_us: float = 0.0
    crossing_us: float = 0.0
    crossing_each_us: float = 0.0
    stall_gpus: int | None = None
    stall_s: float = 0.0
    source: str


# About 25 kernels forward and 50 backward at 8 µs of Python, dispatcher and driver each (PyTorch, CUDA graphs blog,
# 2021: eager launches are 5 to 10 µs apart where the card is quicker).
EAGER = Host(layer_us=75 * 8, source="PyTorch, Accelerating PyTorch with CUDA Graphs")
COMPILED = Host(layer_us=25 * 8, source="the same with pointwise kernels fused to a third")
HOSTS = {
    # 705 runs of four models on 8 to 512 H100 of the Ultra-Scale Playbook. Small micro-batches take 4.3 to 4.8 ms a
    # layer at tp 2 to 8 whatever the model, 8.0 to 8.5 at tp 16 on two nodes, 15.2 to 16.9 at tp 32 on four. Where the
    # pipeline crosses nodes beside tensor parallelism: 10, 15, 25, 51 and 100 to 130 ms at tp 2, 4, 8, 16 and 32, with
    # any micro-batch that computes in less. On 512 GPUs all 67 pipelines took about half a second more for each
    # micro-batch in two stages, and a second in more, where a rank has two neighbours: set on these very rows, for no
    # known cause. On fewer GPUs 105 of 433 did, without a reason that the rows tell, so that is left out.
    "nanotron": Host(
        layer_us=4400,
        node_us=3700,
        crossing_us=2500,
        crossing_each_us=3100,
        stall_gpus=512,
        stall_s=0.5,
        source="Hugging Face, The Ultra-Scale Playbook, benchmark of nanotron on H100 nodes",
    )
}


def host_of(plan: Training) -> Host:
    """The host times of a plan's implementation, whatever its recipe."""
    return HOSTS.get(plan.implementation) or (COMPILED if plan.compile else EAGER)


def stall_s(plan: Training) -> float:
    """Seconds that each micro-batch stalls on each pipeline rank, in forward and backward together; mostly 0."""
    host, neighbours = host_of(plan), min(2, plan.layout.pp - 1)
    if host.stall_gpus is None or plan.fields["cluster"]["gpus"] < host.stall_gpus:
        return 0.0
    return host.stall_s * neighbours


def host_wait(plan: Training, groups: Groups, layers: int, busy_s: tuple[float, float]) -> tuple[float, float]:
    """Seconds that a chunk of ``layers`` waits for the host, forward and backward, beyond what it is busy for."""
    host, whole = host_of(plan), busy_s[0] + busy_s[1]
    least = whole
    if layers:
        launched = layers * host.layer_us / US_PER_S
        across = layers * host.node_us * (groups.tensor.nodes - 1) / US_PER_S
        least = max(whole, launched) + across
        if plan.layout.tp > 1 and groups.pipeline.nodes > 1:
            crossing = host.crossing_us + host.crossing_each_us * plan.layout.tp if host.crossing_us else 0.0
            least = max(least, layers * crossing / US_PER_S)
    least += stall_s(plan) / plan.layout.vpp
    return (least - whole) * FORWARD_SHARE, (least - whole) * (1 - FORWARD_SHARE)
