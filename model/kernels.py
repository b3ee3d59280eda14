"""How long one kernel takes on one card: matrix products, flash attention, and passes over memory.

matrix product   FLOPs at the best rate that torch.matmul reached on the card, and then its operands through memory once:
                 the second part is what small, thin or split matrices lose
flash attention  its own FLOPs at the share of the peak that its paper reports for the kind of card
pass             bytes at the share of the memory's rate that a plain copy reaches

One set of constants for each implementation, each with what it was counted from; none depends on a model or a layout.
"""

import math
from dataclasses import dataclass

from .speeds import Speed

# A copy of large arrays reaches about 90 % of the memory's stated rate on A100 and H100 (BabelStream; Deakin et al.
# 2018, and NVIDIA's nvbandwidth). Many short kernels with gaps between them reach less, which nobody published as one
# number: 0.83 was set here, with the sources of speed in view. Megatron-LM's Table 1 and LLM Foundry would have it
# higher, Megatron-Core and torchtitan lower; 0.05 either way moves no source's median error by more than three points.
HBM_FRAC = 0.83
# Share of the dense peak, forward and backward. FlashAttention-2 (Dao 2023, arXiv:2307.08691, section 4.1): on A100 up
# to 73 % and 63 %, about 55 % of both together under a causal mask; on H100, without its new instructions, 335 TFLOP/s
# of 989. FlashAttention-3 (Shah et al. 2024, arXiv:2407.08608, section 4.1), and cuDNN beside it: causal, 4 to 16
# thousand tokens, heads of 128: 500 to 640 TFLOP/s forward, 400 to 550 backward.
FLASH_2 = {"old": 0.55, "new": 335 / 989}
FLASH_3 = {"old": 0.55, "new": 0.50}
BACKWARD_FLOPS = 2.5  # of the forward's: five products instead of two, the scores once more (arXiv:2307.08691)
# Kernels in a long step run slower than the best one alone: clocks fall under sustained power, the more the newer the
# card, and there are gaps between kernels. One number for each generation, that of many rows together: Ampere and
# before, ten rows of Narayanan et al. 2021, Table 1; Hopper, the compute-bound ones of 705 runs of the Ultra-Scale
# Playbook; Blackwell, 31 steps of dense models that SimuMax published for B200.
SUSTAINED_FRAC = ((700, 0.94), (2000, 0.83), (math.inf, 0.65))  # (dense bf16 TFLOP/s below which it holds, share)
HOPPER = 700  # TFLOP/s: from here on, a kernel written for Ampere leaves instructions unused


@dataclass(frozen=True, slots=True, kw_only=True)
class Implementation:
    """What a framework's layer does beside its matrix products, as bytes moved through memory in a forward pass.

    ``hidden_bytes``      for each number of the residual stream: two norms, two additions
    ``gated_bytes``       for each number of a gated MLP's width; ``plain_bytes`` for one without a gate
    ``head_bytes``        for each number of the queries and keys: positions, copies
    ``score_bytes``       for each attention score, where attention is not flash
    ``logit_bytes``       for each logit, forward and backward, of an eager loss
    ``cast_bytes``        for each number of a matrix product's operands that is turned into 8 bits
    ``accumulate_bytes``  for each parameter and micro-batch after the first, to add up gradients
    """

    hidden_bytes: float
    gated_bytes: float
    plain_bytes: float
    head_bytes: float
    score_bytes: float
    logit_bytes: float
    accumulate_bytes: float
    cast_bytes: float
    flash: dict
    source: str


# A pass reads 2 bytes of bf16 and writes 2; a fused norm is one pass (4), a fused addition 6, a fused gate 6, eager
# ones as many passes as they have operations, in fp32 where they cast. Eager logits: cast 6, softmax 12, backward 14.
# Megatron-LM's parallel loss in fp32 (tensor_parallel/cross_entropy.py): cast 6, largest 4, difference, exponent and
# quotient 8 each, sum 4, gradient 8, cast back 6: 52, and 60 is taken for it with the small kernels around it.
FUSED = {"hidden_bytes": 20, "gated_bytes": 6, "plain_bytes": 4, "head_bytes": 4}
EAGER = {"hidden_bytes": 84, "gated_bytes": 10, "plain_bytes": 4, "head_bytes": 20}
CAST = 5  # an operand is read for its largest value, read again, and written in 8 bits
IMPLEMENTATIONS = {
    "torch": Implementation(
        **{**EAGER, "score_bytes": 28},
        logit_bytes=32,
        accumulate_bytes=0,
        cast_bytes=CAST,
        flash=FLASH_2,
        source="torchtitan, models/llama3: nn.RMSNorm of its time, complex rotary embedding, F.silu(x) * y",
    ),
    "torch-eager": Implementation(
        **{**EAGER, "score_bytes": 28},
        logit_bytes=32,
        accumulate_bytes=0,
        cast_bytes=CAST,
        flash=FLASH_2,
        source="PyTorch without a fused attention kernel",
    ),
    "hf-eager": Implementation(
        **{**EAGER, "score_bytes": 28},
        logit_bytes=32,
        accumulate_bytes=0,
        cast_bytes=CAST,
        flash=FLASH_2,
        source="transformers, models/llama/modeling_llama.py",
    ),
    "megatron": Implementation(
        **FUSED,
        score_bytes=13,
        logit_bytes=60,
        accumulate_bytes=8,
        cast_bytes=CAST,
        flash=FLASH_2,
        source="Megatron-LM: fused scale-mask-softmax, bias-dropout-add, gate; vocab_parallel_cross_entropy in fp32",
    ),
    "megatron-te": Implementation(
        **FUSED,
        score_bytes=13,
        logit_bytes=60,
        accumulate_bytes=8,
        flash=FLASH_3,
        cast_bytes=2,  # the kernel before writes it in 8 bits, as it is and transposed
        source="Megatron-LM with Transformer Engine, which runs cuDNN or FlashAttention-3",
    ),
    "nanotron": Implementation(
        **{**FUSED, "gated_bytes": 10, "head_bytes": 8},
        score_bytes=28,
        logit_bytes=60,
        accumulate_bytes=10,
        cast_bytes=CAST,
        flash=FLASH_2,
        source="nanotron, models/llama.py: Triton norm, flash rotary, eager gate; gradients added up in fp32",
    ),
}
COMPILED = {"hidden_bytes": 20, "gated_bytes": 6, "plain_bytes": 4, "head_bytes": 4}
FUSED_LOGIT_BYTES = 6  # read them, and write their gradient over them


def matmul_s(flops: float, moved_bytes: float, speed: Speed, compute: str) -> float:
    """Seconds of matrix products: at the best measured rate, and their operands through memory once."""
    rate = (speed.peak_flops(compute) or 1.0) * speed.matmul_frac * sustained_frac(speed)
    return flops / rate + pass_s(moved_bytes, speed)


def sustained_frac(speed: Speed) -> float:
    """The share of its best rate that a card keeps through a training step."""
    peak = speed.bf16_tflops or speed.fp16_tflops or 0
    return next(share for below, share in SUSTAINED_FRAC if peak < below)


def flash_s(flops: float, speed: Speed, flash: dict, compute: str) -> float:
    """Seconds of a flash attention kernel; it runs in 16 bits whatever the matrices use."""
    peak = speed.peak_flops("fp32" if compute == "fp32" else ("bf16" if speed.bf16_tflops else "fp16"))
    new = (speed.bf16_tflops or 0) >= HOPPER
    return flops / ((peak or 1.0) * flash["new" if new else "old"] * sustained_frac(speed))


def pass_s(moved_bytes: float, speed: Speed) -> float:
    """Seconds to move bytes between the chip and its memory."""
    return moved_bytes / (speed.hbm_bytes_per_s * HBM_FRAC)
