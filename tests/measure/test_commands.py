"""What the commands answer without torch: plans, help, and wrong use in a sentence."""

import subprocess
import sys

import pytest

from scripts.measure import budget, suites
from scripts.measure.case import case
from scripts.measure.errors import RefusalError
from scripts.measure.records import save
from tests.measure.made import record

pytestmark = pytest.mark.usefixtures("toy_kinds")


def test_the_help_teaches(command):
    code, told, _ = command("--help")
    assert code == 0
    for word in ("run", "collect", "compare", "plan", "torchrun --standalone", "exit codes", "README.md"):
        assert word in told


@pytest.mark.parametrize("arguments", [[], ["measure"], ["run", "--suite", "all"], ["plan", "--only", "none"]])
def test_wrong_use_exits_2_and_says_what_there_is(command, arguments):
    code, _, err = command(*arguments)
    assert code == 2
    assert "usage:" in err


def test_the_plan_lists_every_suite_with_time_and_memory(command, tmp_path):
    code, told, _ = command("plan", "--out", tmp_path)
    assert code == 0
    for suite in suites.SUITES:
        assert f"\n{suite}: " in f"\n{told}"
    assert "toy: second, 4 ranks" in told
    assert "2 s     0.4 GB  toy: fake" not in told
    assert "4 cases, 4 to measure: about 6 s" in told


def test_the_plan_knows_what_is_recorded(command, tmp_path):
    save(tmp_path, record())
    (tmp_path / "broken.json").write_text("{", "utf-8")
    _, told, _ = command("plan", "--suite", "ci", "--out", tmp_path)
    assert "recorded     2.0 GB  toy: plain, 2 ranks" in told
    assert "4 cases, 3 to measure: about 4 s" in told


def test_the_plan_can_be_narrowed(command, tmp_path):
    _, told, _ = command("plan", "--suite", "ci", "--out", tmp_path, "--match", "second", "--world", 8)
    assert [line for line in told.splitlines() if "toy" in line] == ["       1 s     8.0 GB  toy: second, 8 ranks"]


@pytest.mark.parametrize(("world", "told"), [(5, "5 = 5, and 5"), (14, "14 = 2 × 7, and 7")])
@pytest.mark.parametrize("name", ["plan", "run"])
def test_a_number_of_ranks_that_does_not_divide_is_told_with_its_factors(command, tmp_path, name, world, told):
    code, _, err = command(name, "--suite", "ci", "--world", world, "--out", tmp_path)
    assert code == 2
    assert told in err
    assert f"whose only factors are 2 and 3, such as {world - 1 if world == 5 else 12}" in err


@pytest.mark.parametrize("world", [2, 3, 6, 64])
def test_other_numbers_of_ranks_can_be_planned(command, tmp_path, world):
    assert command("plan", "--suite", "gpu", "--world", world, "--out", tmp_path)[0] == 0


def test_one_rank_is_told_where_to_go():
    with pytest.raises(RefusalError, match="nobody to talk to"):
        suites.cases_of("gpu", 1, "cuda")


def test_a_kind_that_refuses_a_number_of_ranks_does_so_in_its_own_sentence(monkeypatch):
    from tests.measure import toy

    def refuses(suite, world, device):
        raise ValueError("4 stages need 4 ranks")

    monkeypatch.setattr(toy, "cases", refuses)
    with pytest.raises(RefusalError, match="4 stages need 4 ranks") as refused:
        suites.cases_of("ci", 2, "cpu")
    assert refused.value.code == 2


def test_the_cheapest_case_is_first():
    assert [one.seconds for one in suites.cases_of("ci", 2, "cpu")] == [1, 2]


def test_the_budget_goes_by_what_cases_really_take():
    clock = [0.0]
    told = budget.Budget(1, now=lambda: clock[0])
    one = case("toy", 2, seconds=20)
    assert told.fits(one)
    clock[0] = 30
    told.took(one, 30)
    assert told.fits(one)  # 30 more of the 30 that are left
    assert told.needs([one]) == "30 s"
    clock[0] = 31
    assert not told.fits(one)
    assert budget.Budget().fits(one)


@pytest.mark.parametrize(("seconds", "told"), [(0.4, "0 s"), (89, "89 s"), (120, "2 min"), (9000, "2.5 h")])
def test_durations_are_for_a_person(seconds, told):
    assert budget.lasting(seconds) == told


def test_without_torch_a_run_says_so(tmp_path):
    site = tmp_path / "sitecustomize.py"
    site.write_text("import sys; sys.modules['torch'] = None\n", "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "scripts.measure", "run", "--suite", "scale", "--out", str(tmp_path / "out")],
        env={"PYTHONPATH": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.startswith("run: torch is missing or broken here (ModuleNotFoundError")
    assert done.stderr.count("\n") == 1
