"""The lesson's figures, as a reader meets them: on the page, in the table, by moving a control and by opening a link."""

from urllib.parse import urlencode

import pytest

from tests.site.harness.instrument import Instrument
from tests.site.harness.pages import HOME

DATA_PARALLEL = {"gpus": "4", "batch": "32 samples 8 a GPU", "memory": "120 GB"}
MODEL_SPLIT = {
    "degree": "3",
    "tensor": "1/3 of each layer",
    "pipeline": "1/3 of the layers",
    "memory": "40 GB 1/3 of the 120 GB",
}
ZERO = [
    (8, "replicated", "120", "doesn't fit ✕"),
    (8, "zero-1", "41.25", "fits ✓"),
    (8, "zero-2", "28.125", "fits ✓"),
    (8, "zero-3", "15", "fits ✓"),
    (64, "replicated", "120", "doesn't fit ✕"),
    (64, "zero-1", "31.406", "fits ✓"),
    (64, "zero-2", "16.641", "fits ✓"),
    (64, "zero-3", "1.875", "fits ✓"),
]


def read(instrument, keys):
    return {key: instrument.readout(key) for key in keys}


def cells(instrument):
    """The table's cells with ordinary spaces."""
    return [[" ".join(cell.split()) for cell in row] for row in instrument.table()]


def assert_zero(instrument, memory, verdict):
    assert read(instrument, ["memory", "fits"]) == {"memory": f"{memory} GB", "fits": verdict}
    assert cells(instrument)[-1][:2] == ["Total", f"{memory} GB"]


@pytest.mark.site
def test_data_parallel_starts_at_four_gpus(enter):
    instrument = Instrument(enter(HOME["data-parallel"].path), "data-parallel")
    assert read(instrument, DATA_PARALLEL) == DATA_PARALLEL
    assert instrument.readout("throughput").startswith("4× ")
    assert [row[1] for row in cells(instrument)[1:]] == ["120 GB"] * 4
    assert cells(instrument)[-1][2] == "25–32"


@pytest.mark.site
def test_model_split_starts_at_degree_three(enter):
    instrument = Instrument(enter(HOME["model-split"].path), "model-split")
    assert read(instrument, MODEL_SPLIT) == MODEL_SPLIT
    assert [row[1:] for row in cells(instrument)[1:]] == [
        ["1/3", "40 GB", "1–8", "40 GB"],
        ["1/3", "40 GB", "9–16", "40 GB"],
        ["1/3", "40 GB", "17–24", "40 GB"],
    ]


@pytest.mark.site
def test_zero_memory_starts_replicated_over_eight_gpus(enter):
    instrument = Instrument(enter(HOME["zero-memory"].path), "zero-memory")
    assert read(instrument, ["stage", "gpus"]) == {"stage": "Replicated (DDP)", "gpus": "8 GPUs"}
    assert_zero(instrument, "120", "doesn't fit ✕")


@pytest.mark.engine
@pytest.mark.parametrize(("gpus", "stage", "memory", "verdict"), ZERO)
def test_moving_the_controls_gives_the_papers_figures(lab, gpus, stage, memory, verdict):
    instrument = lab.open("zero-memory")
    instrument.set(stage=stage, gpus=gpus)
    instrument.shows(stage=stage, gpus=gpus)
    assert_zero(instrument, memory, verdict)


@pytest.mark.engine
@pytest.mark.parametrize(("gpus", "stage", "memory", "verdict"), ZERO)
def test_a_link_gives_the_papers_figures(lab, gpus, stage, memory, verdict):
    instrument = lab.open("zero-memory", "?" + urlencode({"gpus": gpus, "stage": stage}))
    instrument.shows(stage=stage, gpus=gpus)
    assert_zero(instrument, memory, verdict)


@pytest.mark.engine
def test_an_uneven_split_names_the_largest_stage(lab):
    instrument = lab.open("model-split", "?degree=5")
    instrument.shows(degree=5)
    assert instrument.readout("memory").startswith("25 GB ")
    assert instrument.readout("tensor") == "1/5 of each layer, 24 GB"


@pytest.mark.engine
def test_any_whole_number_of_gpus_is_a_plan(lab):
    instrument = lab.open("data-parallel")
    instrument.set(gpus=12)
    instrument.shows(gpus=12)
    assert instrument.readout("batch") == "96 samples 8 a GPU"
