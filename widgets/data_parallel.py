"""Data-parallel GPU grid: every tile a full copy of the model and its own shard of the batch."""

import math

from model.catalog import EXAMPLE
from model.facts import example_ledger, global_batch, speedup
from model.units import convert

from . import figure
from .format import gpus, memory, number, samples, times
from .gpu_slider import gpu_slider
from .messages import N_, Messages
from .plan import example_plan
from .spec import Readout, Table, View, Widget

# One tile in chart units: it is 1 wide and 1 high, and holds two blocks with a gap around them.
MODEL_BOX = (0.06, 0.32, 0.88, 0.62)
BATCH_BOX = (0.06, 0.06, 0.88, 0.22)
LABELLED_TILES = 16  # more tiles than this leave no room for words


def columns_for(count: int) -> int:
    """Tiles in a row: one row up to four, then rows of four, then rows of eight."""
    return count if count <= 4 else 4 if count <= 16 else 8


def view(params: dict, messages: Messages) -> View:
    """The grid for ``params["gpus"]`` GPUs."""
    count = params["gpus"]
    ledger = example_ledger(gpus=count)
    copy_gb = convert(ledger.total_bytes, "GB")
    copy_text = memory(ledger.total_bytes, messages)
    shards = [(index * EXAMPLE.samples_per_gpu + 1, (index + 1) * EXAMPLE.samples_per_gpu) for index in range(count)]
    shard_texts = [f"{number(first, messages)}–{number(last, messages)}" for first, last in shards]
    names = [messages.t("GPU {n}", n=index + 1) for index in range(count)]
    batch = global_batch(count).value
    return View(
        figure=_figure(names, copy_gb, copy_text, shards, shard_texts, messages),
        legend=(("model", messages.t("Full model copy")), ("batch", messages.t("Batch shard"))),
        readouts=(
            Readout(key="memory", label=messages.t("Model per GPU"), value=copy_text, main=True),
            Readout(key="gpus", label=messages.t("GPUs"), value=number(count, messages)),
            Readout(
                key="batch",
                label=messages.t("Global batch"),
                value=samples(batch, messages),
                note=messages.t("{n} a GPU", n=number(EXAMPLE.samples_per_gpu, messages)),
            ),
            Readout(
                key="throughput",
                label=messages.t("Throughput"),
                value=times(speedup(count).value, messages),
                note=messages.t("ideal, communication not counted"),
            ),
        ),
        caption=_caption(count, copy_text, messages),
        summary=messages.t(
            "Grid of {gpus}: each holds a full {copy} model copy and {samples} of the batch.",
            gpus=gpus(count, messages),
            copy=copy_text,
            samples=samples(EXAMPLE.samples_per_gpu, messages),
        ),
        table=Table(
            caption=messages.t("What each GPU holds"),
            columns=(messages.t("GPU"), messages.t("Model copy"), messages.t("Samples of the batch")),
            rows=tuple((name, copy_text, text) for name, text in zip(names, shard_texts, strict=True)),
        ),
        plan=example_plan(count, zero=0),
    )


def _caption(count: int, copy_text: str, messages: Messages) -> str:
    if count == 1:
        return messages.t(
            "One GPU holds the whole model, {copy}, and works on one shard. Add GPUs to train faster.", copy=copy_text
        )
    return messages.t(
        "{gpus} work through samples about {times} as fast as one. Each still holds all {copy}: replicas add speed and "
        "never shrink the model. That is the wall the next two splits break.",
        gpus=gpus(count, messages),
        times=times(count, messages),
        copy=copy_text,
    )


def _figure(names: list, copy_gb: float, copy_text: str, shards: list, shard_texts: list, messages: Messages) -> dict:
    count = len(names)
    columns = columns_for(count)
    rows = math.ceil(count / columns)
    corners = [(index % columns, rows - 1 - index // columns) for index in range(count)]
    words = count <= LABELLED_TILES
    return {
        "data": [
            figure.blocks(
                "model",
                messages.t("Full model copy"),
                boxes=[_at(corner, MODEL_BOX) for corner in corners],
                text=[f"{name}<br>{copy_text}" if words else str(index + 1) for index, name in enumerate(names)],
                hovertext=[f"{name}: {copy_text}" for name in names],
                customdata=[[copy_gb] for _ in names],
            ),
            figure.blocks(
                "batch",
                messages.t("Batch shard"),
                boxes=[_at(corner, BATCH_BOX) for corner in corners],
                text=shard_texts if words else [""] * count,
                hovertext=[
                    messages.t("{gpu}: samples {range}", gpu=name, range=text)
                    for name, text in zip(names, shard_texts, strict=True)
                ],
                customdata=[list(shard) for shard in shards],
            ),
        ],
        "layout": figure.layout(
            height=340,
            height_narrow=300,
            xaxis=figure.hidden_axis(least=0, most=columns),
            yaxis=figure.hidden_axis(least=0, most=rows),
        ),
    }


def _at(corner: tuple[int, int], box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    (column, row), (left, bottom, width, height) = corner, box
    return (column + left, row + bottom, width, height)


WIDGET = Widget(
    name="data-parallel",
    title=N_("Data-parallel GPU grid"),
    question=N_("What does one more GPU change, and what does it leave as it was?"),
    instruction=N_("Move GPUs and watch the batch grow while every copy stays whole."),
    controls=(gpu_slider(EXAMPLE.replicas),),
    view=view,
)
