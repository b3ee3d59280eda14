"""Exact figures: model states in the ZeRO paper, and on PyTorch's own ranks."""

from decimal import ROUND_HALF_UP, Decimal

from model.layout import Layout
from model.memory import states
from model.plan import memory_report
from model.recipe import named

from ..measured_runs import load
from ..torch_models import LARGE, MEASURED, TINY, plan
from ..torch_models import gpt as torch_gpt
from .links import PYTORCH, ZERO
from .score import Match, exact

PARTS = {"params": "weights", "grads": "gradients", "optimizer": "optimizer"}
STRATEGIES = {
    "ddp": ("ddp-amp", 0),
    "ddp_view": ("ddp-amp", 0),
    "zero1": ("ddp-amp", 1),
    "fsdp2_z2": ("fsdp2", 2),
    "fsdp2_z3": ("fsdp2", 3),
}
SCHEDULES = {
    "1F1B": "1f1b",
    "GPipe": "gpipe",
    "ZeroBubble_v1": "zb-h1",
    "Interleaved1F1B": "interleaved",
    "ZBVZeroBubble": "zb-v",
    "DualPipeV": "dualpipe-v",
}
ROUNDED = 0.025  # of the figure: 500 for 512
SCALARS = 4 * 1000  # bytes: one step counter a parameter, which is not modelled


def zero_states_gb(billions, replicas, zero, tp=1):
    """GB of the paper's recipe on each rank."""
    layout = Layout(dp=replicas, tp=tp, pp=1, cp=1, vpp=1, zero=zero, stage_layers=None)
    (ledger,) = states(int(billions * 1e9), named("zero-paper"), layout)
    return ledger.total_bytes / 1e9


def _as_printed(published, ours):
    """The paper rounds to the decimals that it prints, or cuts to whole GB: whichever it did, every digit counts."""
    decimals = len(str(published).partition(".")[2])
    rounded = float(Decimal(ours).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))
    return rounded if published == rounded else int(ours) if published == int(ours) else ours


def zero_table():
    """Table 1 and Figure 1 of the ZeRO paper."""
    data = load("zero_table")
    for row in data["table1"]:
        ours = zero_states_gb(row["params_billion"], row["dp_degree"], row["zero_stage"])
        name = "{params_billion}B dp{dp_degree} zero{zero_stage}".format(**row)
        yield Match.equal(name, row["published_GB"], _as_printed(row["published_GB"], ours))
    for row in data["figure1"]:
        ours = zero_states_gb(row["params_billion"], row["dp_degree"], row["stage"])
        yield Match.equal(f"Figure 1, stage {row['stage']}", row["published_GB"], round(ours, 1))


def largest_models():
    """Table 2: the largest model that fits a card; one step more does not.

    Its rows are the first times the degree, which it rounds to three figures, and at 512 and more billions to one.
    """
    rows = load("zero_table")["table2"]
    for row in rows:
        for zero in range(4):
            whole = rows[0]["largest_billion"][zero] * row["mp"]
            fits, beyond = (
                zero_states_gb(whole + more, row["dp_degree"], zero, tp=row["mp"]) for more in (0, 0.1 * row["mp"])
            )
            printed, card = row["largest_billion"][zero], row["card_GB"]
            agrees = fits <= card < beyond and abs(printed / whole - 1) <= ROUNDED
            yield Match(name=f"mp{row['mp']} zero{zero}", published=(printed, card), ours=(whole, fits), agrees=agrees)


def truncated():
    """Rows of Table 1 that the paper cut where rounding would have printed another number."""
    found = []
    for row in load("zero_table")["table1"]:
        ours = zero_states_gb(row["params_billion"], row["dp_degree"], row["zero_stage"])
        if row["published_GB"] == int(ours) != round(ours):
            found.append(row)
    return found


def _states(given):
    return [stage["states"] for stage in memory_report(given)["stages"]]


def _fullest(ranks):
    return {ours: max(rank[theirs] for rank in ranks) for theirs, ours in PARTS.items()}


def torch_states():
    """Bytes that PyTorch's own ranks hold after a step."""
    for row in MEASURED["data_parallel"]:
        preset, zero = STRATEGIES[row["strategy"]]
        given = plan(TINY, row["world"], preset=preset, precision=row["precision"], layout={"zero": zero})
        name = f"{row['strategy']} {row['precision']} on {row['world']}"
        yield Match.equal(name, [_fullest(row["ranks"])], _states(given))
    for row in MEASURED["tensor_parallel"]:
        sharded = row["mode"] == "fsdp_tp"
        layout = {"tp": row["world"] // 2 if sharded else row["world"], "zero": 3 if sharded else 0}
        given = plan(
            torch_gpt(1024, 192, 8, 12, 64),
            row["world"],
            preset="fsdp2" if sharded else "ddp-amp",
            precision=row["precision"],
            layout=layout | {"sequence_parallel": row["mode"] == "tp_sp"},
        )
        name = f"{row['mode']} {row['precision']} on {row['world']}"
        yield Match.equal(name, [_fullest(row["ranks"])], _states(given))
    for row in MEASURED["pipeline_parallel"]:
        if row["schedule"] not in SCHEDULES:
            continue
        given = plan(
            TINY,
            row["p"],
            preset="ddp-amp",
            precision=row["precision"],
            layout={"pp": row["p"], "vpp": len(row["stages"][0])},
            batch={"global_batch": row["m"]},
            schedule={"kind": SCHEDULES[row["schedule"]]},
        )
        name = f"{row['schedule']} {row['precision']}"
        yield Match.equal(name, [_fullest([rank]) for rank in row["ranks"]], _states(given))
    row = MEASURED["fake"]["tensor_parallel"]
    given = plan(LARGE, 8, preset="ddp-amp", precision="bf16_master", layout={"tp": 8})
    published = {"weights": row["P"], "gradients": row["G"], "optimizer": row["O"]}
    yield Match.equal("tensor parallel at true size", [published], _states(given))
    for run in MEASURED["fake"]["runs"]:
        if run["size"] != "7.5b" or run["strategy"] == "local":
            continue
        preset, zero = STRATEGIES[run["strategy"]]
        (held,) = _states(plan(LARGE, run["world"], preset=preset, precision=run["precision"], layout={"zero": zero}))
        after = run["after_forward"]
        weights = after.get("Parameter", after.get("Sharded Param"))
        optimizer = after.get("Optstate", after.get("OptState"))
        agrees = held["weights"] == weights and 0 <= optimizer - held["optimizer"] <= SCALARS
        name = f"{run['strategy']} {run['precision']} at true size on {run['world']}"
        yield Match(name=name, published=(weights, optimizer), ours=(held["weights"], held["optimizer"]), agrees=agrees)


SOURCES = (
    exact(
        "zero-table",
        "states",
        "ZeRO paper, Table 1 and Figure 1",
        "to the digit printed, rounded or cut",
        zero_table,
        (ZERO,),
        "zero_table",
    ),
    exact(
        "zero-largest",
        "states",
        "ZeRO paper, Table 2: the largest model that fits a card",
        "fits, and a tenth of a billion more on each GPU does not",
        largest_models,
        (ZERO,),
        "zero_table",
    ),
    exact(
        "torch-states",
        "states",
        "What PyTorch's own ranks hold",
        "to the byte",
        torch_states,
        (PYTORCH,),
        "torch_memory",
    ),
)
