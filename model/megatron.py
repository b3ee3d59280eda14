"""The formulas of Narayanan et al. 2021, Megatron-LM (arXiv:2104.04473), as published, in whole numbers.

h hidden size, L layers, V vocabulary, s sequence, B sequences in a step, T tokens, n GPUs, X achieved FLOP/s a GPU.
"""

from fractions import Fraction

SECONDS_PER_DAY = 86_400


def parameters(*, hidden: int, layers: int, vocab: int, seq: int) -> int:
    """P = 12Lh²(1 + 13/(12h) + (V + s)/(12Lh)), equation 2, which is 12Lh² + 13Lh + (V + s)h."""
    return 12 * layers * hidden**2 + 13 * layers * hidden + (vocab + seq) * hidden


def flops_per_step(*, hidden: int, layers: int, vocab: int, seq: int, batch: int) -> int:
    """FLOPs of one step over all GPUs: F = 96BsLh²(1 + s/(6h) + V/(16Lh)), with full recomputation.

    ``hidden`` h, ``layers`` L, ``vocab`` V, ``seq`` s in tokens, ``batch`` B in sequences; 96 is 4 passes of 24.
    Source: Narayanan et al. 2021, equation 3 (arXiv:2104.04473).
    """
    tokens = batch * seq
    return tokens * (96 * layers * hidden**2 + 16 * seq * layers * hidden + 6 * vocab * hidden)


def training_days(*, tokens: float, parameters: float, gpus: int, flops_per_s: float) -> float:
    """8TP/(nX) in days, equation 4; 8 a parameter and token because of full recomputation."""
    seconds = Fraction(8) * Fraction(tokens) * Fraction(parameters) / (gpus * Fraction(flops_per_s))
    return float(seconds / SECONDS_PER_DAY)
