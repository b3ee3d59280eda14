"""How right the model is: every exact figure is met, every measured source keeps its bounds, and nothing is left out."""

import math
import statistics
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import pytest

from model.config import read_config
from model.errors import Invalid
from model.flops import flops_per_token
from model.models import model_named
from model.report import BAND
from model.shape import FIELDS
from model.step_report import step_report
from tests.model.evidence import aims, exact_states, memory, messages, speed
from tests.model.evidence.score import Held, Match, Scored, Summary
from tests.model.evidence.sources import EXACT, MEASURED, REASONS
from tests.model.measured_runs import load

DATA = Path(__file__).parent / "data"


def by_key(source):
    return source.key


@pytest.mark.parametrize("source", EXACT, ids=by_key)
def test_every_exact_figure_is_met(source):
    matches = list(source.matches())
    assert matches
    assert [match for match in matches if not match.agrees] == []


@pytest.mark.long
@pytest.mark.parametrize("source", MEASURED, ids=by_key)
def test_every_measured_source_keeps_its_bounds(source):
    assert source.held.broken(Summary.of(source.rows())) == []


@pytest.mark.long
@pytest.mark.parametrize("source", MEASURED, ids=by_key)
def test_the_worst_row_of_every_source_has_a_reason(source):
    rows = source.rows()
    for part in (rows, *(apart.of(rows) for apart in source.apart)):
        worst = Summary.of(part).worst
        assert worst.name in REASONS.get(source.key, {}), (
            f"the worst row of {source.key} is now {worst.name!r} ({worst.error:+.1%}); say why in "
            "tests/model/evidence/reasons.json"
        )


@pytest.mark.long
def test_every_aim_that_is_missed_has_a_reason():
    found = {source.key: Summary.of(source.rows()) for source in MEASURED}
    assert [(aim.key, aim.figure, value) for aim, value in aims.missed(found) if not aim.why] == []


def test_an_aim_is_missed_beyond_its_share_alone():
    found = Summary.of([Scored(name=str(place), measured=100, predicted=100 + place) for place in range(11)])
    for figure, value in found.bounded().items():
        assert aims.Aim(key="", figure=figure, most=value).missed_by(found) is None
        assert aims.Aim(key="", figure=figure, most=value - 1e-9).missed_by(found) == value
    assert found.bounded() == pytest.approx({"median": 0.05, "at_90": 0.09, "each": 0.10})


@pytest.mark.long
def test_what_shares_its_runs_shares_its_sample():
    # A source is held out only if nothing was set on its runs, whichever of their values it compares.
    runs = {source.key: {str(sorted(row.row.items())) for row in source.rows()} for source in memory.SOURCES}
    split = [
        (one.key, other.key)
        for one in memory.SOURCES
        for other in memory.SOURCES
        if one.set_here and not other.set_here and runs[one.key] & runs[other.key]
    ]
    assert split == []


@pytest.mark.long
def test_every_reason_is_about_a_row():
    names = {source.key: {row.name for row in source.rows()} for source in MEASURED}
    strangers = [(key, row) for key, reasons in REASONS.items() for row in reasons if row not in names.get(key, ())]
    assert strangers == []


def test_every_file_of_data_is_a_source_of_the_page():
    listed = {name for source in (*MEASURED, *EXACT) for name in source.files}
    assert listed == {path.stem for path in DATA.glob("*.json")}


def test_every_source_has_an_address_and_a_key_of_its_own():
    sources = (*MEASURED, *EXACT)
    assert len({source.key for source in sources}) == len(sources)
    assert all(link.url.startswith("https://") for source in sources for link in source.links)
    assert all(source.links for source in sources)


@pytest.mark.parametrize(
    "constant",
    dict.fromkeys(constant for source in MEASURED for constant in source.set_here),
    ids=lambda constant: constant.path,
)
def test_a_constant_that_was_set_on_a_source_is_where_the_page_says(constant):
    module, _, name = constant.path.rpartition(".")
    assert hasattr(import_module(f"model.{module}"), name)


def test_a_row_that_is_off_breaks_its_bounds():
    rows = [Scored(name=str(place), measured=100, predicted=100 + place) for place in range(11)]
    found = Summary.of(rows)
    assert (found.median, found.at_90, found.worst.name) == (pytest.approx(0.05), pytest.approx(0.09), "10")
    assert Held(median=0.06, at_90=0.095, each=0.11).broken(found) == []
    assert len(Held(median=0.05, at_90=0.05, each=0.05).broken(found)) == 3
    assert not Match.equal("a", 1, 2).agrees
    assert not Match.near("a", 1.0, 1.2, 0.1).agrees


def test_nothing_but_what_is_not_modelled_is_left_out_of_the_slides():
    left = [row["setup"] for row in load("collectives")["slides"] if row["setup"] not in messages.SLIDES]
    assert [setup for setup in left if "SHARP" not in setup] == []


BANDS = {  # implementation -> the source whose rows say what a card must have room for
    "torch": "torchtitan-memory",
    "nanotron": "nanotron-memory",
    "megatron-te": "megatron-reserved",
    "megatron": "bigscience",
}


@pytest.mark.long
def test_the_band_of_a_tight_verdict_is_what_nine_of_ten_measured_runs_stay_under():
    sources = {source.key: source for source in MEASURED}
    scores = {name: Summary.of(sources[key].rows()).at_90 for name, key in BANDS.items()}
    assert {name: Fraction(math.ceil(100 * score), 100) for name, score in scores.items()} == BAND


# What the page says is not modelled, and where it says that publications differ.


def test_states_in_host_memory_have_no_time():
    with pytest.raises(Invalid) as caught:
        step_report(
            {
                "model": "llama-3.1-8b",
                "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8},
                "recipe": {"preset": "deepspeed", "offload": "optimizer"},
            }
        )
    assert (caught.value.field, caught.value.code) == ("recipe.offload", "not_supported")


def test_several_tokens_at_once_and_encoders_are_not_counted():
    assert "num_nextn_predict_layers" not in FIELDS
    data = load("transformers_counts")["configs"]
    plain = next(row["config"] for row in data if row["config"]["model_type"] == "deepseek_v3")
    shape, ignored = read_config({**plain, "num_nextn_predict_layers": 1})[:2]
    assert shape == read_config(plain)[0]
    assert "num_nextn_predict_layers" in ignored


def test_the_zero_paper_cuts_some_figures_where_rounding_would_print_others():
    cut = exact_states.truncated()
    assert cut
    assert {row["params_billion"] for row in cut} <= {128, 1000}


def test_a_fused_attention_runs_less_again_than_korthikanti_count():
    flops = flops_per_token(model_named("llama-3.1-8b").architecture, 8192)
    assert flops.recomputed("selective") == 3 * flops.recomputed("selective", fused=True) > 0


# More that must hold of the measured rows.


@pytest.mark.long
def test_no_measured_run_is_below_the_states():
    below = [row.name for source in memory.SOURCES for row in source.rows() if 0 < row.measured < row.floor]
    assert below == []


@pytest.mark.long
def test_every_row_of_the_large_tables_is_scored():
    assert {source.key: len(source.rows()) for source in MEASURED if len(source.rows()) > 500} == {
        "nanotron-memory": 705,
        "ultrascale-speed": 705,
    }


@pytest.mark.long
@pytest.mark.parametrize("field", ["pp", "tp", "zero", "model_b"])
def test_nanotron_memory_has_no_lean_by_layout(field):
    # The 12 runs on 32 stages lean most.
    (source,) = (source for source in MEASURED if source.key == "nanotron-memory")
    rows = source.rows()
    for value in {row.row[field] for row in rows}:
        errors = [row.error for row in rows if row.row[field] == value]
        assert abs(statistics.median(errors)) < (0.11 if len(errors) < 20 else 0.09)


@pytest.mark.long
def test_nanotron_memory_where_its_runs_agree_among_themselves():
    # With tensor parallelism of 8 and more runs of like layouts differ by whole tensors a layer.
    (source,) = (source for source in MEASURED if source.key == "nanotron-memory")
    narrow = [row for row in source.rows() if row.row["tp"] <= 4]
    assert len(narrow) == 331
    assert Held(median=0.06, at_90=0.14).broken(Summary.of(narrow)) == []


@pytest.mark.long
def test_one_row_of_megatron_core_is_beyond_15_percent_with_micro_batches_of_one():
    # 32B has 4 micro-batches of 1 in a step. Its 15 GB of gradients leave each GPU over one link of 400 Gb/s and do not
    # fit behind the backward of a quarter of the batch; with micro-batches of 2, which the table may have had, they do.
    beyond = [row.row["model"] for row in speed.megatron_core() if abs(row.error) > 0.15]
    assert beyond == ["32B"]
    (wider,) = (row for row in speed.megatron_core(2) if row.row["model"] == "32B")
    assert abs(wider.error) < 0.15


@pytest.mark.long
def test_dense_models_in_8_bits_on_h100_are_within_16_percent():
    (source,) = (source for source in MEASURED if source.key == "megatron-bridge")
    dense = [row for row in source.rows() if row.row["gpu"] == "h100-sxm-80gb" and row.row["model"].startswith("llama")]
    assert dense
    assert [row.name for row in dense if abs(row.error) > 0.16] == []


def test_reasons_are_sentences():
    reasons = [reason for rows in REASONS.values() for reason in rows.values()]
    assert [reason for reason in reasons if not (reason[0].isupper() and reason.endswith("."))] == []
