"""What the second half of a layer keeps: a dense MLP, or a router and its experts."""

from math import ceil

from .architecture import Architecture
from .attention_kept import matrix_input, norm_kept
from .kept import MIXED, OTHER, Kept, Setting

# Copies of the wide tensor a gated MLP keeps: gate, up and their product where the product is one fused operation;
# also the activated gate where it is not.
UNFUSED = ("torch", "torch-eager", "hf-eager", "nanotron")


def mlp_kept(shape: Architecture, setting: Setting) -> list[Kept]:
    """From the residual sum after attention to the end of a dense layer."""
    kept = norm_kept(shape, setting, "MLP norm", OTHER)
    kept.append(matrix_input(setting, "MLP input", shape.hidden_size, "h"))
    kept += wide_kept(shape, setting, setting.tokens, shape.intermediate_size, setting.tp, "MLP")
    if setting.dropout:
        kept.append(Kept(name="MLP dropout mask", amount_bytes=setting.rows * shape.hidden_size, formula="s·b·h"))
    return kept


def wide_kept(
    shape: Architecture, setting: Setting, tokens: int, width: int, tp: int, name: str, symbol: str = "s·b·f"
) -> list[Kept]:
    """The wide tensors of an MLP of ``width`` that ``tokens`` pass through."""
    one, number = tokens * -(-width // tp), setting.number
    down = 1 if setting.fp8 and setting.fused_engine else number

    def tensor(what: str, count: int, size: int = number, op: bool = False) -> Kept:
        return Kept(
            name=f"{name} {what}", amount_bytes=count * one * size, formula=f"{symbol}·{count * size}/tp", saved_op=op
        )

    if not shape.gated:
        kept = [tensor("before its activation", 1, op=True)]
    else:
        kept = [tensor("gate", 1, op=True), tensor("up", 1)]
        if setting.implementation in UNFUSED and not setting.compile:
            kept.append(tensor("activated gate", 1))
    # A compiled layer computes the last one anew from what is before it.
    return kept if setting.compile else [*kept, tensor("activated", 1, down)]


def routed_tokens(setting: Setting) -> int:
    """Tokens that the experts of a rank get to see, topk aside: its own and those of the ranks that share its experts.

    Source: Megatron-LM, MoEAlltoAllTokenDispatcher: an all-to-all among experts, then a gather over their tensor ranks.
    """
    return min(setting.tokens, setting.rows * setting.etp)


def experts_kept(shape: Architecture, setting: Setting, balance: float) -> list[Kept]:
    """A router and its experts: each token goes to several, so as many rows pass through the experts of each rank.

    ``balance``: rows of the fullest rank over the mean. Expert parallelism moves rows, it does not change their number.
    """
    kept = norm_kept(shape, setting, "MLP norm", OTHER)
    kept.append(matrix_input(setting, "MLP input", shape.hidden_size, "h"))
    number, experts, hidden = setting.number, shape.num_experts, shape.hidden_size
    rows = ceil(routed_tokens(setting) * shape.num_experts_per_tok * balance)
    kept.append(Kept(name="router scores", amount_bytes=setting.rows * experts * 4, formula="s·b·E·4"))
    expert_input = 1 if setting.fp8 and setting.fused_engine else number
    kept.append(
        Kept(name="expert input", amount_bytes=rows * hidden * expert_input, formula=f"topk·s·b·h·{expert_input}")
    )
    symbol = "topk·s·b·f_e"
    kept += wide_kept(shape, setting, rows, shape.moe_intermediate_size, setting.etp, "expert", symbol)
    if setting.fused_engine and not shape.gated:
        # The router's weights multiply what the activation gives; only the gated activation fuses that
        # (Megatron-LM, experts.py, weighted_bias_swiglu_impl).
        amount = rows * -(-shape.moe_intermediate_size // setting.etp) * number
        kept.append(Kept(name="expert activated, unweighted", amount_bytes=amount, formula=f"{symbol}·{number}/etp"))
    if not setting.fused_engine:
        amount = rows * hidden * number
        kept.append(Kept(name="expert output", amount_bytes=amount, formula=f"topk·s·b·h·{number}", part=MIXED))
    if shape.shared_intermediate_size:
        width = shape.shared_intermediate_size
        kept += wide_kept(shape, setting, setting.tokens, width, setting.tp, "shared expert", "s·b·f_s")
    if setting.dropout:
        kept.append(Kept(name="MLP dropout mask", amount_bytes=setting.rows * hidden, formula="s·b·h"))
    return kept
