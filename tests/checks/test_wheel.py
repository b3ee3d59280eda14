"""The wheel that people install: `model/` under the name shardscope, whose command says what `python -m model` says."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLAN = {"model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 64}, "recipe": {"preset": "fsdp2"}}
CALLS = (
    ["memory", "-", "--json"],
    ["memory", "-"],
    ["step", "-", "--json"],
    ["params", "gpt2", "--json"],
    ["schedule", "--kind", "zb-v", "--stages", "4", "--micro-batches", "8"],
    ["collective", "all-reduce", "--bytes", "1e9", "--ranks", "8", "--link", "nvlink4"],
    ["memory", "nowhere.json", "--json"],
)


def run(*command, cwd=ROOT):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        list(map(str, command)), input=json.dumps(PLAN), cwd=cwd, env=environment, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    built = run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder)
    assert built.returncode == 0, built.stderr
    (path,) = folder.glob("shardscope-*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The Python of a fresh environment that has the wheel and nothing else."""
    venv = tmp_path_factory.mktemp("installed") / "venv"
    assert run(sys.executable, "-m", "venv", "--without-pip", venv).returncode == 0
    python = venv / "bin" / "python"
    options = ("--disable-pip-version-check", "--no-deps", "--no-index")
    done = run(sys.executable, "-m", "pip", "--python", python, "install", *options, wheel)
    assert done.returncode == 0, done.stderr
    return python


def test_the_wheel_is_every_module_of_the_model_and_its_licence(wheel):
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    assert sorted(names) == sorted(f"shardscope/{path.name}" for path in (ROOT / "model").glob("*.py"))
    assert any(name.endswith("LICENSE") for name in zipfile.ZipFile(wheel).namelist())


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_its_command_says_what_the_module_says(installed, tmp_path, call):
    module = run(sys.executable, "-m", "model", *call)
    command = run(installed.parent / "shardscope", *call, cwd=tmp_path)
    assert command.returncode == module.returncode == (2 if "nowhere.json" in call else 0)
    assert command.stdout == module.stdout
    assert command.stderr == module.stderr.replace("python -m model:", "shardscope:")


def test_its_command_calls_itself_by_its_name(installed, tmp_path):
    assert run(installed.parent / "shardscope", "--help", cwd=tmp_path).stdout.startswith("usage: shardscope ")


def test_it_runs_as_a_module_too(installed, tmp_path):
    done = run(installed, "-m", "shardscope", "params", "gpt2", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["total"] == 124_439_808


def test_nothing_else_lands_among_the_packages(installed, tmp_path):
    script = "import sysconfig, os; print(*sorted(os.listdir(sysconfig.get_path('purelib'))))"
    names = run(installed, "-c", script, cwd=tmp_path).stdout.split()
    assert [name.partition("-")[0] for name in names] == ["shardscope", "shardscope"]
