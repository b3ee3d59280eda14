"""Tensor vs pipeline: one layer cut into strips, and the stack of layers cut into stages, over the same GPUs."""

from fractions import Fraction

from model.catalog import EXAMPLE
from model.facts import example_layout, example_ledger, example_recipe
from model.memory import StageLedger, states
from model.units import convert

from . import figure
from .format import fraction, gpus, layers, memory, number
from .messages import N_, Messages
from .plan import example_plan
from .spec import Readout, Slider, Table, View, Widget

MOST = 8
NAMED_STRIPS = 3  # more strips than this have room for a number, not for a word
GAP = 0.06
STACK_WIDTH = 0.72  # the rest of the stack's half names its stages


def view(params: dict, messages: Messages) -> View:
    """Both cuts for ``params["degree"]`` GPUs."""
    degree = params["degree"]
    strip = example_ledger(tp=degree)
    stages = states(EXAMPLE.parameters, example_recipe(), example_layout(pp=degree))
    largest = max(stages, key=lambda ledger: ledger.total_bytes)
    whole = memory(example_ledger().total_bytes, messages)
    even = largest.total_bytes == strip.total_bytes
    strip_text, stage_text = memory(strip.total_bytes, messages), memory(largest.total_bytes, messages)
    share = _share(degree, messages)
    return View(
        figure=_figure(degree, strip, stages, messages),
        legend=tuple((f"rank-{rank}", messages.t("GPU {n}", n=rank + 1)) for rank in range(degree)),
        readouts=(
            _per_gpu(share, strip_text, stage_text, whole, even, messages),
            Readout(key="degree", label=messages.t("Degree"), value=number(degree, messages)),
            Readout(
                key="tensor",
                label=messages.t("Tensor"),
                value=share,
                note=_strip_note(degree, strip_text, even, messages),
            ),
            _pipeline(degree, largest, stage_text, even, messages),
        ),
        caption=_caption(degree, messages),
        summary=_summary(degree, strip_text, stage_text, largest, messages),
        table=_table(degree, share, strip_text, stages, messages),
        plan=example_plan(degree, tp=degree),
    )


def _per_gpu(share: str, strip: str, stage: str, whole: str, even: bool, messages: Messages) -> Readout:
    label = messages.t("Model per GPU")
    if even:
        note = "" if strip == whole else messages.t("{share} of the {whole}", share=share, whole=whole)
        return Readout(key="memory", label=label, value=strip, note=note, main=True)
    note = messages.t("largest stage; a strip is {strip} of the {whole}", strip=strip, whole=whole)
    return Readout(key="memory", label=label, value=stage, note=note, main=True)


def _share(degree: int, messages: Messages) -> str:
    return messages.t("all") if degree == 1 else fraction(Fraction(1, degree), messages)


def _strip_note(degree: int, strip: str, even: bool, messages: Messages) -> str:
    if degree == 1:
        return messages.t("of every layer")
    return messages.t("of each layer") if even else messages.t("of each layer, {memory}", memory=strip)


def _pipeline(degree: int, largest: StageLedger, stage: str, even: bool, messages: Messages) -> Readout:
    label = messages.t("Pipeline")
    if even:
        return Readout(key="pipeline", label=label, value=_share(degree, messages), note=messages.t("of the layers"))
    value = messages.t("{n} of {layers}", n=number(largest.layers, messages), layers=layers(EXAMPLE.layers, messages))
    return Readout(key="pipeline", label=label, value=value, note=messages.t("largest stage, {memory}", memory=stage))


def _caption(degree: int, messages: Messages) -> str:
    if degree == 1:
        return messages.t("One GPU holds every layer whole. Raise the degree to share the model.")
    return messages.t(
        "{gpus} share one model. A higher degree means a thinner slice on each, and more communication to put the "
        "pieces together.",
        gpus=gpus(degree, messages),
    )


def _summary(degree: int, strip: str, stage: str, largest: StageLedger, messages: Messages) -> str:
    return messages.t(
        "{gpus}: cut by tensor, each holds a strip of every layer, {strip}; cut by pipeline, the largest stage holds "
        "{layers}, {stage}.",
        gpus=gpus(degree, messages),
        strip=strip,
        layers=layers(largest.layers, messages),
        stage=stage,
    )


def _ranges(stages: tuple[StageLedger, ...]) -> list[tuple[int, int]]:
    """First and last layer of each stage, counted from 1."""
    ends = [sum(ledger.layers for ledger in stages[: index + 1]) for index in range(len(stages))]
    return [(end - ledger.layers + 1, end) for end, ledger in zip(ends, stages, strict=True)]


def _table(degree: int, share: str, strip: str, stages: tuple[StageLedger, ...], messages: Messages) -> Table:
    return Table(
        caption=messages.t("What each GPU holds under either cut"),
        columns=(
            messages.t("GPU"),
            messages.t("Tensor: part of each layer"),
            messages.t("Tensor: memory"),
            messages.t("Pipeline: layers"),
            messages.t("Pipeline: memory"),
        ),
        rows=tuple(
            (
                messages.t("GPU {n}", n=rank + 1),
                share,
                strip,
                f"{number(first, messages)}–{number(last, messages)}",
                memory(ledger.total_bytes, messages),
            )
            for rank, ((first, last), ledger) in enumerate(zip(_ranges(stages), stages, strict=True))
        ),
    )


def _figure(degree: int, strip: StageLedger, stages: tuple[StageLedger, ...], messages: Messages) -> dict:
    names = [messages.t("GPU {n}", n=rank + 1) for rank in range(degree)]
    ranges = _ranges(stages)
    return {
        "data": [
            *(_strip(rank, name, degree, strip, messages) for rank, name in enumerate(names)),
            *(_stage(rank, name, ranges[rank], stages[rank], messages) for rank, name in enumerate(names)),
            figure.labels(
                x=[STACK_WIDTH + 0.03] * degree,
                y=[-(first + last) / 2 for first, last in ranges],
                text=names,
                textposition="middle right",
                xaxis="x2",
                yaxis="y2",
            ),
        ],
        "layout": figure.layout(
            height=360,
            height_narrow=300,
            margin={"l": 8, "r": 8, "t": 40, "b": 8},
            xaxis=figure.hidden_axis(least=0, most=1, domain=[0, 0.46]),
            yaxis=figure.hidden_axis(least=0, most=1),
            xaxis2=figure.hidden_axis(least=0, most=1, domain=[0.54, 1], anchor="y2"),
            yaxis2=figure.hidden_axis(least=-EXAMPLE.layers - 0.5, most=-0.5, anchor="x2"),
            annotations=[
                _heading(messages.t("One layer, in strips"), 0.23),
                _heading(messages.t("{layers}, in stages", layers=layers(EXAMPLE.layers, messages)), 0.77),
            ],
        ),
    }


def _strip(rank: int, name: str, degree: int, strip: StageLedger, messages: Messages) -> dict:
    width = 1 / degree
    gap = width * GAP
    return figure.blocks(
        f"rank-{rank}",
        messages.t("{gpu}, tensor", gpu=name),
        boxes=[(rank * width + gap, 0, width - 2 * gap, 1)],
        text=[name if degree <= NAMED_STRIPS else str(rank + 1)],
        textangle=0,
        hovertext=[f"{name}: {fraction(Fraction(1, degree), messages)}, {memory(strip.total_bytes, messages)}"],
        customdata=[[1 / degree, convert(strip.total_bytes, "GB")]],
    )


def _stage(rank: int, name: str, span: tuple[int, int], ledger: StageLedger, messages: Messages) -> dict:
    first, last = span
    return figure.blocks(
        f"rank-{rank}",
        messages.t("{gpu}, pipeline", gpu=name),
        boxes=[(0, -layer - 0.42, STACK_WIDTH, 0.84) for layer in range(first, last + 1)],
        xaxis="x2",
        yaxis="y2",
        hovertext=[messages.t("{gpu}: layer {n}", gpu=name, n=layer) for layer in range(first, last + 1)],
        customdata=[[layer, convert(ledger.total_bytes, "GB")] for layer in range(first, last + 1)],
    )


def _heading(text: str, x: float) -> dict:
    return {
        "text": text,
        "x": x,
        "y": 1,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "center",
        "yanchor": "bottom",
        "yshift": 10,
        "showarrow": False,
        "name": "heading",
    }


WIDGET = Widget(
    name="model-split",
    title=N_("Tensor vs pipeline"),
    question=N_("Cut every layer, or cut the stack of layers?"),
    instruction=N_("Raise the degree and watch both slices get thinner."),
    controls=(
        Slider(
            name="degree",
            label=N_("Degree"),
            least=1,
            most=MOST,
            stops=tuple(range(1, MOST + 1)),
            default=EXAMPLE.degree,
            text=gpus,
            help=N_(
                "How many GPUs share the model. Arrow keys move by one. Page Up and Page Down go to the next or the "
                "previous power of two."
            ),
        ),
    ),
    view=view,
)
