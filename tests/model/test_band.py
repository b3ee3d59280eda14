"""The band around fits: the answer says which measured runs it is of, and the runs are those."""

import pytest

from model.plan import memory_report
from model.report import BAND, RAN, TOO_LOW
from tests.model.measured_runs import bigscience, bigscience_plan, load, megatron_plan, nanotron_plan, torchtitan_plan
from tests.model.torch_models import plan


@pytest.mark.parametrize(
    ("preset", "implementation", "says"),
    [
        ("fsdp2", "torch", "nine in ten measured runs of preset fsdp2 with implementation torch"),
        ("megatron", "megatron-te", "nine in ten measured runs of preset megatron with"),
        (
            "deepspeed",
            "torch",
            "implementation torch, none of which ran preset deepspeed; measured runs of deepspeed took",
        ),
        ("ddp-amp", "torch", "none of which ran preset ddp-amp"),
        (
            "deepspeed",
            "megatron",
            "nine in ten measured runs of preset deepspeed with implementation megatron are within it; ",
        ),
        ("megatron", "megatron", "none of which ran preset megatron"),
        ("zero-paper", "hf-eager", "the widest band of any implementation, for hf-eager has none of its own"),
    ],
)
def test_the_band_says_which_runs_it_is_of(preset, implementation, says):
    report = memory_report(plan("llama-3.1-8b", 8, preset=preset, activation={"implementation": implementation}))
    assert says in report["tight_band_from"]
    assert ("nine in ten" in report["tight_band_from"]) == says.startswith("nine")


def test_the_measured_runs_ran_what_the_band_says():
    nanotron = load("ultrascale_memory")
    rows = [torchtitan_plan(row) for row in load("torchtitan_memory")["rows"]]
    rows += [megatron_plan(row) for row in load("measured_memory")["rows"]]
    rows += [bigscience_plan(row.row) for row in bigscience()]
    for values in nanotron["rows"]:
        row = dict(zip(nanotron["columns"], values, strict=True))
        rows.append(nanotron_plan(nanotron["settings"], row, row["zero"]))
    assert {(row["activation"]["implementation"], row["recipe"]["preset"]) for row in rows} == set(RAN.items())
    assert set(RAN) == set(BAND)


def test_deepspeed_is_called_too_low_because_its_measured_runs_are():
    lower = [row for row in bigscience() if row.predicted < row.measured]
    assert {bigscience_plan(row.row)["recipe"]["preset"] for row in bigscience()} == set(TOO_LOW)
    assert len(lower) >= 0.9 * len(bigscience())
