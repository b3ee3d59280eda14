"""What one layer keeps under a recomputation policy, and what it needs besides while its backward pass runs."""

from dataclasses import dataclass
from functools import lru_cache

from .architecture import Architecture
from .attention_kept import attention_kept, norm_kept
from .kept import CORE, INPUT, Kept, Setting, total
from .mlp_kept import experts_kept, mlp_kept, routed_tokens
from .training import Training

# Implementations whose layers torch.compile can rewrite; the others bring kernels of their own.
COMPILED = ("torch", "torch-eager", "hf-eager")


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerKept:
    """``kept`` from forward to backward; ``working`` bytes besides, at the largest moment of the backward.

    ``ending``: bytes at the end of the backward, when what is kept has gone, but for the input's own: the gradients of
    the residual stream, of queries, keys and values.
    """

    kept: tuple[Kept, ...]
    amount_bytes: int  # all that is kept
    working: int
    ending: int


def setting_of(plan: Training) -> Setting:
    """How the layers of a plan run. Latent attention and windows are flash or eager like any other."""
    layout = plan.layout
    return Setting(
        tokens=plan.tokens,
        rows=-(-plan.tokens // layout.sequence_cut),
        seq=plan.seq,
        tp=layout.tp,
        cp=layout.cp,
        etp=layout.etp,
        number=plan.activation_bytes,
        dropout=plan.dropout > 0,
        flash=plan.attention == "flash",
        implementation=plan.implementation,
        compile=plan.compile and plan.implementation in COMPILED,
        fp8=plan.compute == "fp8",
    )


def layer_kept(plan: Training, *, moe: bool, recomputed: bool) -> LayerKept:
    """One layer of the plan; ``recomputed``: whether the policy reaches it (``recompute_layers`` may leave some)."""
    policy = plan.recompute if recomputed else "none"
    return _layer_kept(plan.shape, setting_of(plan), policy, moe, plan.expert_balance)


@lru_cache(maxsize=1024)
def _layer_kept(shape: Architecture, setting: Setting, policy: str, moe: bool, balance: float) -> LayerKept:
    attention = attention_kept(shape, setting)
    rest = experts_kept(shape, setting, balance) if moe else mlp_kept(shape, setting)
    everything = (*attention, *rest)
    kept = kept_under(policy, everything, shape, setting)
    amount = total(kept)
    again = total(everything) - amount
    return LayerKept(
        kept=kept,
        amount_bytes=amount,
        working=_backward(shape, setting, moe, rest, balance) + again,
        ending=2 * _stream(shape, setting),
    )


def kept_under(policy: str, tensors: tuple[Kept, ...], shape: Architecture, setting: Setting) -> tuple[Kept, ...]:
    """What is left of a layer's tensors under a recomputation policy.

    selective     all but the core of attention (Korthikanti et al. 2022, section 5)
    op-selective  the layer's input, every second matrix's output and what attention gives
                  (torchtitan, parallelize_llama.py: the save list of selective activation checkpointing)
    full          the layer's input
    """
    if policy == "none":
        return tensors
    if policy == "selective":
        return tuple(tensor for tensor in tensors if tensor.part != CORE)
    own = tuple(tensor for tensor in tensors if tensor.part == INPUT)[:1]
    if policy == "full":
        return own
    saved = tuple(tensor for tensor in tensors if tensor.saved_op)
    if setting.compile or not shape.gated:
        return own + saved
    # The seventh matrix. Without a compiler the last matrix's output is kept too, though nothing needs it.
    width = setting.rows * shape.hidden_size * setting.number
    return (*own, *saved, Kept(name="MLP output", amount_bytes=width, formula=f"s·b·h·{setting.number}"))


def _backward(shape: Architecture, setting: Setting, moe: bool, rest: list[Kept], balance: float) -> int:
    """The largest moment of a layer's backward pass beyond what it keeps.

    The backward of the activation function makes the gradient of the widest tensor while its input is still kept; the
    gradient of its output has taken the place of the output itself. Beside it the gradient of the residual stream,
    and the same once more as the last matrix received it.
    """
    number, hidden = setting.number, shape.hidden_size
    stream = _stream(shape, setting)
    wide = 2 if shape.gated else 1
    if moe:
        rows = int(routed_tokens(setting) * shape.num_experts_per_tok * balance)
        half = wide * rows * -(-shape.moe_intermediate_size // setting.etp) * number + 2 * rows * hidden * number
    else:
        half = wide * setting.tokens * -(-shape.intermediate_size // setting.tp) * number
    if setting.flash:
        return stream + half
    # Eager attention: the gradients of the scores and of what was dropped, when the MLP is done.
    square = setting.tokens * setting.seq * (shape.num_attention_heads // setting.tp)
    return stream + max(half, 2 * square * number - total(rest))


def _stream(shape: Architecture, setting: Setting) -> int:
    """Bytes of the residual stream's gradient, and the same once more as a matrix has it."""
    return (setting.rows + setting.tokens) * shape.hidden_size * setting.number


def edge_kept(plan: Training, *, first: bool, last: bool) -> tuple[Kept, ...]:
    """What a chunk keeps beside its layers: before the first layer, and between the last one and the logits."""
    setting, shape = setting_of(plan), plan.shape
    h, number = shape.hidden_size, setting.number
    kept: list[Kept] = []
    if first:
        kept.append(Kept(name="token numbers", amount_bytes=setting.tokens * 8, formula="s·b·8"))
        if shape.pos_embed_rows and not setting.paper:
            kept.append(Kept(name="positions", amount_bytes=-(-plan.seq // setting.cp) * 8, formula="s·8"))
        if setting.dropout:
            kept.append(Kept(name="embedding dropout mask", amount_bytes=setting.rows * h, formula="s·b·h"))
    if last:
        if shape.final_norm:
            kept += norm_kept(shape, setting, "final norm")
        rows = setting.tokens if setting.gathers_inputs else setting.rows
        kept.append(Kept(name="head input", amount_bytes=rows * h * number, formula=f"s·b·h·{number}"))
    elif plan.layout.pp * plan.layout.vpp > 1 and not setting.paper and not setting.fused_engine:
        # Megatron gives a stage's output back once it is sent (Korthikanti et al. 2022, appendix B).
        amount = setting.rows * h * number
        kept.append(Kept(name="output sent", amount_bytes=amount, formula=f"s·b·h·{number}"))
    return tuple(kept)
