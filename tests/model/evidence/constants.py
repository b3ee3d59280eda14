"""What of the model was set on measured rows: numbers, and rules that rows showed the need of. Sources name theirs."""

from .score import Constant

LOSS = Constant(what="how many bytes of a logit the loss holds at once", path="logits.EAGER")
KEPT = Constant(what="which buffers Megatron-LM keeps from step to step", path="engine_buffers.engine_buffers")
SHARED_EXPERTS = Constant(
    what="whose tokens the experts see that some tensor ranks share", path="mlp_kept.experts_kept"
)
RESERVED = Constant(what="what Megatron-LM's allocator keeps beyond the peak", path="overhead.PART_OF_PEAK")
EMBEDDING = Constant(
    what="that the gradient of a cut embedding stays whole in a pipeline of PyTorch's", path="gathers.gathers_of"
)
SLACK = (
    Constant(
        what="what nanotron's allocator keeps beyond the peak, as parts of it",
        path="overhead.NANOTRON_PART_OF_PEAK",
    ),
    Constant(what="and of what comes and goes", path="overhead.NANOTRON_PART_OF_DYNAMIC"),
    Constant(what="the workspaces that nanotron's matrix products keep", path="overhead.NANOTRON_WORKSPACES_BYTES"),
    Constant(what="which outputs are still on their way, two whole ones a layer", path="overhead._still_on_their_way"),
)
DEALT = Constant(what="to which stage nanotron deals a layer where costs tie", path="placement.balanced_layers")
SUSTAINED = Constant(what="the share of its best rate that a card keeps through a step", path="kernels.SUSTAINED_FRAC")
HOST = Constant(
    what="how long nanotron's host takes to launch a layer, and what its pipelines wait for on the largest cluster",
    path="host.HOSTS",
)
LATENCY = Constant(what="the latency of one step over NVLink 3, 4 and 5", path="links.LINKS")
RATES = Constant(what="the bus bandwidth that each link reaches", path="links.LINKS")
