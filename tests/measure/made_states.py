"""Records of states as a rank would write them, made by hand from what the strategies are known to hold."""

from scripts.measure.kinds import states

PARAMETERS = 3_964_800  # of the tiny network
EACH = {"fp32": (4, 4, 8), "autocast": (4, 4, 8), "mixed": (4, 4, 8), "bf16-master": (2, 2, 12)}


def record(case, ranks):
    """A record of a case whose ranks hold this."""
    return {"case": case.asked, "result": {"ranks": ranks}}


def planned(world, **wanted):
    """The cases of ``world`` ranks with these options."""
    found = states.cases("ci", world, "cpu")
    return [case for case in found if wanted.items() <= case.asked.items()]


def held(precision="fp32", *, share=1, optimizer_share=1, bucket=0, gathered=0):
    """What a rank holds of the tiny network: weights and gradients of one part in ``share``."""
    weight, gradient, optimizer = EACH[precision]
    return {
        "parameters_bytes": weight * PARAMETERS // share,
        "gradients_bytes": gradient * PARAMETERS // share,
        "optimizer_bytes": optimizer * PARAMETERS // (share * optimizer_share),
        "step_scalars_bytes": 532,
        "bucket_bytes": bucket,
        "gathered_bytes": gathered,
    }
