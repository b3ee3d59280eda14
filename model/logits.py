"""What the logits and the loss take on the last stage, for each way of computing them.

T tokens of a micro-batch, V rows of the vocabulary on a tensor-parallel rank
"""

from dataclasses import dataclass

from .training import Training

# Bytes a logit takes in half precision at the largest moment, and while the micro-batch waits for its backward pass.
# torch: in the backward pass the log-softmax, the gradient of it and the gradient of its input, in fp32
#        (PyTorch, cross_entropy on logits.float(); measured, FSDPMemTracker: two temporaries beside what is kept).
# nanotron: the fp32 logits, which the model has returned, and the softmax, made in a new tensor (nanotron, LlamaModel's
#        cast_to_fp32 and _ShardedCrossEntropy); the softmax becomes the gradient.
# megatron: logits and the softmax, which is made in place of the fp32 copy and becomes the gradient (Megatron-LM,
#        vocab_parallel_cross_entropy); Transformer Engine's fused loss makes the gradient in place of the logits.
EAGER = {
    "torch": (12, 4),
    "torch-eager": (12, 4),
    "hf-eager": (16, 8),
    "nanotron": (8, 4),
    "megatron": (6, 4),
    "megatron-te": (6, 4),
}
# An fp32 tensor more. PyTorch: a loss cut over the vocabulary is written out (loss_parallel).
ONE_MORE = 4
# The half-precision logits are gone when the fp32 gradients come, and no fp32 tensor fits their block.
FREED = {"torch": 2, "torch-eager": 2, "hf-eager": 2}
FUSED = {"megatron-te": (2, 2)}
FUSED_ELSEWHERE = (6, 4)
# A loss in chunks holds the logits of as many tokens as make them about as large as the hidden states
# (Liger Kernel, fused_linear_cross_entropy: chunks of T / ⌈V/h⌉ tokens, in half precision and in fp32).
CHUNKED_EACH = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Logits:
    """Bytes of a micro-batch's logits: ``peak`` in its loss, ``waiting`` from then until its backward pass."""

    peak: int
    waiting: int
    freed: int  # given back before the peak, in blocks that the peak cannot use: reserved memory has them too
    formula: str


def logits_of(plan: Training) -> Logits:
    """The logits of one micro-batch on the rank that has the head."""
    tokens, rows = plan.tokens, plan.vocabulary
    if plan.loss == "chunked":
        chunk = -(-tokens // -(-rows // plan.shape.hidden_size))
        return Logits(peak=chunk * rows * CHUNKED_EACH, waiting=0, freed=0, formula=f"chunk·V·{CHUNKED_EACH}/tp")
    if plan.loss == "fused":
        peak, waiting = FUSED.get(plan.implementation, FUSED_ELSEWHERE)
    else:
        peak, waiting = EAGER[plan.implementation]
        if plan.implementation == "torch" and plan.layout.tp > 1:
            peak += ONE_MORE
    if plan.implementation in FREED and plan.layout.pp > 1:
        # A pipeline's last stage keeps its output until the backward pass (PyTorch, PipelineStage).
        peak, waiting = peak + plan.activation_bytes, waiting + plan.activation_bytes
    freed = FREED.get(plan.implementation, 0) if plan.loss == "eager" else 0
    return Logits(
        peak=tokens * rows * peak,
        waiting=tokens * rows * waiting,
        freed=tokens * rows * freed,
        formula=f"s·b·V·{peak}/tp",
    )
