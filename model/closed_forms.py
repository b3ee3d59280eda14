"""What the published formulas say of a schedule, where they equal its events; quick enough for a search."""

from .pipeline import Cost, Summary, summary
from .schedules import Shape


def quick_summary(shape: Shape, chunk: Cost) -> Summary:
    """The summary by formula where one is known to be exact, else from the events (at most ``MOST_CHUNKS``).

    The tests run both on random shapes and times, and find them equal. Raises ``Invalid`` as ``run`` does.
    """
    return closed_form(shape, chunk) or summary(shape, chunk)


def closed_form(shape: Shape, chunk: Cost) -> Summary | None:
    """The summary by formula, or None where no exact one is known. ``chunk``: the cost of one chunk.

    Exact for GPipe and 1F1B with any m and any times, for interleaved 1F1B where p divides m, and for ZB-H1 with
    m >= p and a weight half that is no longer than the forward or the other half.
    """
    p, m, v = shape.stages, shape.micro_batches, shape.virtual
    whole = sum(chunk)
    peak = until_input_gradient = None
    # Idle time: Huang et al. 2019, section 2.3; Narayanan et al. 2021, section 2.2 (arXiv:2104.04473).
    idle = (p - 1) * whole
    if shape.kind == "gpipe":
        peak = until_input_gradient = (m,) * p
    elif shape.kind == "1f1b" or (shape.kind == "interleaved" and v == 1):
        peak = until_input_gradient = tuple(min(m, p - rank) for rank in range(p))
    elif shape.kind == "interleaved" and m % p == 0:
        # Korthikanti et al. 2022, section 4.2.3 (arXiv:2205.05198): the first rank holds p·v + p − 1 chunks.
        peak = until_input_gradient = tuple(min(m * v, (v + 1) * p - 1 - 2 * rank) for rank in range(p))
    elif shape.kind == "zb-h1" and m >= p and chunk.weight_gradient <= min(chunk.forward, chunk.input_gradient):
        # Qi et al. 2023, Table 2 (arXiv:2401.10241): (p − 1)(T_F + T_B − T_W), T_B being the input half.
        idle = (p - 1) * (chunk.forward + chunk.input_gradient - chunk.weight_gradient)
        peak, until_input_gradient = (p,) * p, tuple(p - rank for rank in range(p))
    if peak is None or until_input_gradient is None:
        return None
    work = m * v * whole
    return Summary(
        stages=p,
        work=work,
        makespan=work + idle,
        makespan_split=work + idle,
        peak_in_flight=peak,
        peak_until_input_gradient=until_input_gradient,
    )
