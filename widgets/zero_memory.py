"""Memory per GPU: parameters, gradients and optimizer state under each ZeRO stage, against the card's line."""

from model.catalog import EXAMPLE
from model.facts import example_card, example_ledger, example_recipe
from model.memory import StageLedger
from model.units import convert

from . import figure
from .format import gpus, memory, quantity
from .gpu_slider import gpu_slider
from .messages import N_, Messages
from .plan import example_plan
from .spec import Choice, Readout, Table, View, Widget

STAGES = {
    "replicated": N_("Replicated (DDP)"),
    "zero-1": N_("ZeRO-1"),
    "zero-2": N_("ZeRO-2"),
    "zero-3": N_("ZeRO-3 (FSDP)"),
}
# Part of the ledger: its role in the chart and its label, from the foot of the bar upwards.
PARTS = {
    "weights": ("parameters", N_("Parameters")),
    "gradients": ("gradients", N_("Gradients")),
    "optimizer": ("optimizer", N_("Optimizer state")),
}
CAPTIONS = {
    "replicated": N_(
        "Nothing is sharded. Every GPU keeps all parameters, all gradients and all optimizer state, "
        "{total} of them, however many GPUs there are."
    ),
    "zero-1": N_(
        "The optimizer state is sharded: each of {gpus} keeps {optimizer} of it. Every GPU still holds all "
        "parameters and all gradients."
    ),
    "zero-2": N_(
        "Optimizer state and gradients are sharded: each of {gpus} keeps its part. Every GPU still holds all "
        "parameters, {weights}."
    ),
    "zero-3": N_(
        "Optimizer state, gradients and parameters are sharded over {gpus}. No GPU holds a full copy of "
        "anything; layers are gathered when they are needed."
    ),
}


ALONE = N_("One GPU has nobody to share with: whatever the stage, it keeps all {total} itself. Add GPUs.")


def view(params: dict, messages: Messages) -> View:
    """The bar for ``params["stage"]`` over ``params["gpus"]`` GPUs."""
    stage, count = params["stage"], params["gpus"]
    zero = list(STAGES).index(stage)
    ledger = example_ledger(zero=zero, gpus=count)
    fits = ledger.total_bytes <= EXAMPLE.card_gpu.capacity_bytes
    card = quantity(example_card(), messages)
    total = memory(ledger.total_bytes, messages)
    stage_text, gpus_text = messages.t(STAGES[stage]), gpus(count, messages)
    verdict = messages.t("fits ✓") if fits else messages.t("doesn't fit ✕")
    return View(
        figure=_figure(ledger, card, messages),
        legend=(
            *((role, messages.t(label)) for role, label in PARTS.values()),
            ("capacity", messages.t("{card} card", card=card)),
        ),
        readouts=(
            Readout(key="memory", label=messages.t("Model per GPU"), value=total, main=True),
            Readout(
                key="fits",
                label=messages.t("Fits {card}?", card=card),
                value=verdict,
                state="yes" if fits else "no",
            ),
            Readout(key="stage", label=messages.t("Stage"), value=stage_text),
            Readout(key="gpus", label=messages.t("Over"), value=gpus_text),
        ),
        caption=messages.t(
            ALONE if count == 1 and zero else CAPTIONS[stage],
            gpus=gpus_text,
            total=total,
            **{part: memory(ledger.bytes_of(part), messages) for part in PARTS},
        ),
        summary=messages.t(
            "{stage} over {gpus}: {total} on each GPU. {card} card: {verdict}.",
            stage=stage_text,
            gpus=gpus_text,
            total=total,
            verdict=verdict,
            card=card,
        ),
        table=_table(ledger, zero, count, messages),
        plan=example_plan(count, zero=zero),
    )


def _table(ledger: StageLedger, zero: int, count: int, messages: Messages) -> Table:
    recipe = example_recipe()
    rows = [
        (
            messages.t(label),
            memory(ledger.bytes_of(part), messages),
            messages.t("sharded") if count > 1 and recipe.shards(part, zero) else messages.t("full copy"),
        )
        for part, (_, label) in PARTS.items()
    ]
    return Table(
        caption=messages.t("Memory on each GPU"),
        columns=(messages.t("Part"), messages.t("Memory"), messages.t("Kept as")),
        rows=(*rows, (messages.t("Total"), memory(ledger.total_bytes, messages), "")),
    )


def _figure(ledger: StageLedger, card: str, messages: Messages) -> dict:
    card_gb = convert(EXAMPLE.card_gpu.capacity_bytes, "GB")
    replicated_gb = convert(example_ledger().total_bytes, "GB")
    series, below_gb = [], 0.0
    for part, (role, label) in PARTS.items():
        height_gb = convert(ledger.bytes_of(part), "GB")
        text = f"{messages.t(label)} {memory(ledger.bytes_of(part), messages)}"
        series.append(
            figure.bars(
                role,
                messages.t(label),
                x=[0],
                y=[height_gb],
                base=[below_gb],
                width=[0.56],
                text=[text],
                textposition="inside",
                insidetextanchor="start",
                hovertext=[text],
            )
        )
        below_gb += height_gb
    return {
        "data": [
            *series,
            figure.line(
                "capacity",
                messages.t("{card} card", card=card),
                x=[-0.5, 0.5],
                y=[card_gb, card_gb],
                text=[card, ""],
                textposition="top right",
            ),
        ],
        "layout": figure.layout(
            height=380,
            height_narrow=280,
            margin={"l": 56, "r": 8, "t": 12, "b": 12},
            uniformtext={"mode": "hide", "minsize": 11},
            xaxis=figure.hidden_axis(least=-0.5, most=0.5),
            yaxis={
                "range": [0, 1.1 * max(replicated_gb, card_gb)],
                "fixedrange": True,
                "zeroline": True,
                "title": {"text": messages.t("GB on each GPU")},
                "nticks": 7,
            },
        ),
    }


WIDGET = Widget(
    name="zero-memory",
    title=N_("Memory per GPU"),
    question=N_("Does what one GPU keeps fit on its card?"),
    instruction=N_(
        "Choose a stage, then add GPUs, and watch the bar fall under the card's line. Activations come on top of it."
    ),
    controls=(
        Choice(name="stage", label=N_("Stage"), options=STAGES, default="replicated"),
        gpu_slider(EXAMPLE.gpus),
    ),
    view=view,
)
