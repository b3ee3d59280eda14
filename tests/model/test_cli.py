"""The command line as people and tools call it."""

import io
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from model.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
PLAN = {"model": {"params": 7.5e9}, "cluster": {"gpu": "card-80gb", "gpus": 8}, "layout": {"zero": 1}}


@pytest.fixture
def run(monkeypatch, capsys):
    def call(*arguments, stdin="", command="memory"):
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        code = main([command, *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_a_table_for_people(run):
    code, out, err = run("-", stdin=json.dumps(PLAN))
    assert (code, err) == (0, "")
    assert "41.250" in out
    assert "fits card-80gb (80.000 GB): yes (states only)" in out


def test_a_table_of_a_real_model_has_every_part_and_the_instant(run):
    plan = {
        "model": "llama-3.1-8b",
        "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8},
        "recipe": {"preset": "megatron"},
        "layout": {"pp": 2, "tp": 2, "zero": 1},
        "batch": {"seq": 4096, "global_batch": 8},
        "activation": {"implementation": "megatron-te"},
    }
    code, out, err = run("-", stdin=json.dumps(plan))
    assert (code, err) == (0, "")
    title, head, first, last, *_ = out.splitlines()
    assert title.endswith("at its peak")
    assert head.split()[4:] == ["activations", "logits", "transient", "allocated", "reserved", "nvidia-smi", "peak"]
    assert (first.split()[-1], last.split()[-1]) == ("backward", "loss")


def test_one_json_object_for_tools(run, tmp_path):
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(PLAN), "utf-8")
    code, out, _ = run(str(path), "--json")
    assert code == 0
    assert json.loads(out)["stages"][0]["allocated_peak"] == 41_250_000_000


def test_bad_input_exits_2_with_one_line_that_names_the_field(run):
    code, out, err = run("-", stdin=json.dumps({**PLAN, "layout": {"zerro": 1}}))
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "layout.zerro" in err


def test_bad_input_under_json_is_an_error_object_too(run):
    code, out, err = run("-", "--json", stdin=json.dumps({**PLAN, "layout": {"zerro": 1}}))
    assert code == 2
    assert err.count("\n") == 1
    assert set(json.loads(out)["error"]) == {"field", "code", "values", "message"}


@pytest.mark.parametrize("text", ["", "{", "nonsense", '{"model": NaN}', "[" * 100_000])
def test_text_that_is_not_json_exits_2(run, text):
    code, out, err = run("-", "--json", stdin=text)
    assert code == 2
    assert json.loads(out)["error"]["code"] == "not_json"
    assert err.count("\n") == 1


def test_a_file_that_is_not_there_exits_2(run, tmp_path):
    code, _, err = run(str(tmp_path / "none.json"))
    assert code == 2
    assert "none.json" in err


@pytest.mark.parametrize(
    ("gpu", "says"),
    [("h100", "; did you mean 'h100-sxm-80gb'? Choose one of: "), ("quartz", "is not known. Choose one of: ")],
)
def test_a_name_that_is_begun_is_offered_whole(run, gpu, says):
    code, _, err = run("-", stdin=json.dumps({**PLAN, "cluster": {"gpu": gpu, "gpus": 8}}))
    assert code == 2
    assert says in err


def test_a_list_of_plans_gives_a_list_of_reports(run):
    code, out, _ = run("-", "--json", stdin=json.dumps([PLAN, PLAN]))
    assert code == 0
    assert len(json.loads(out)) == 2


def test_one_wrong_plan_in_a_list_leaves_the_others_answered(run):
    code, out, err = run("-", "--json", stdin=json.dumps([PLAN, {}, PLAN]))
    assert code == 1
    assert ["error" in answer for answer in json.loads(out)] == [False, True, False]
    assert "plan 2 of 3" in err


def test_params_of_a_model_by_name(run):
    code, out, err = run("llama-2-70b", "--json", command="params")
    assert (code, err) == (0, "")
    report = json.loads(out)
    sums = {"total", "active", "active_without_embedding", "components"}
    assert set(report) == sums | {"by_tensor", "ignored", "defaulted"}
    assert (report["ignored"], report["defaulted"]) == ([], {})
    assert report["total"] == 68_976_648_192
    assert report["by_tensor"]["model.layers.*.self_attn.k_proj.weight"] == {
        "shape": [1024, 8192],
        "count": 80,
        "parameters": 80 * 1024 * 8192,
    }


def test_params_of_a_config_as_a_table(run, tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "gpt2", "use_cache": True}), "utf-8")
    code, out, err = run(str(path), command="params")
    assert (code, err) == (0, "")
    assert "124,439,808" in out
    assert "use_cache" in out


def test_params_of_a_list_answers_what_it_can(run):
    given = ["gpt2", {"model_type": "gpt3"}, {"architecture": {}}, {"model_type": "gptj"}]
    code, out, err = run("-", "--json", stdin=json.dumps(given), command="params")
    assert code == 1
    assert ["error" in answer for answer in json.loads(out)] == [False, True, True, False]
    assert "config 2 of 4" in err


@pytest.mark.parametrize(
    ("argument", "stdin", "field", "code"),
    [
        ("llama-3.1-8", "", "MODEL", "unknown_value"),
        ("none/config.json", "", "MODEL", "not_found"),
        ("-", "{", "MODEL", "not_json"),
        ("-", "[" * 100_000, "MODEL", "not_json"),
        ("-", "9" * 10_000, "MODEL", "out_of_range"),
        ("-", "7", "model", "wrong_type"),
        ("-", '{"model_type": "llama", "hidden_size": 1e999}', "hidden_size", "out_of_range"),
        ("-", '{"model_type": "ll\\ud800\\nama"}', "model_type", "unknown_value"),
        ("-", '{"architecture": {"\\ud800\\n": 1}}', "architecture.\\ud800\\n", "unknown_field"),
    ],
)
def test_params_of_bad_input_exits_2_with_one_line(run, argument, stdin, field, code):
    status, out, err = run(argument, "--json", stdin=stdin, command="params")
    error = json.loads(out)["error"]
    assert (status, error["field"], error["code"]) == (2, field, code)
    assert err.count("\n") == 1


def test_the_help_of_params_lists_the_catalogue(capsys):
    with pytest.raises(SystemExit):
        main(["params", "--help"])
    assert "deepseek-v3" in capsys.readouterr().out


def test_it_runs_as_a_module_and_its_help_teaches():
    done = subprocess.run(
        [sys.executable, "-m", "model", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert '{"model": {"params": 7.5e9}' in done.stdout


def test_a_reader_that_closes_the_pipe_early_sees_no_traceback():
    command = f"{sys.executable} -m model params llama-3.1-405b --json | head -c 1"
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("{", "")


@pytest.mark.parametrize(
    ("redirect", "code", "says"),
    [
        ("<&-", 2, "python -m model: PLAN.json: standard input: Bad file descriptor\n"),
        (">&-", 0, ""),
        ("2>&-", 0, ""),
    ],
)
def test_a_stream_that_the_caller_closed_gives_no_traceback(redirect, code, says):
    command = f"{sys.executable} -m model memory - {redirect}"
    given = None if redirect.startswith("<") else json.dumps(PLAN)
    done = subprocess.run(command, shell=True, cwd=ROOT, input=given, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, says)


def test_a_step_as_a_table_and_as_json(run):
    given = json.dumps(
        {"model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8}, "batch": {"seq": 4096}}
    )
    code, out, err = run("-", stdin=given, command="step")
    assert (code, err) == (0, "")
    assert "of 989 dense: MFU" in out
    assert run("-", "--json", stdin=given, command="step")[1] == run("-", "--json", stdin=given, command="step")[1]


def test_a_step_of_a_bare_parameter_count_exits_2(run):
    code, _, err = run("-", stdin=json.dumps(PLAN), command="step")
    assert code == 2
    assert "name a model" in err


def test_a_field_that_stands_twice_is_not_guessed_at(run):
    text = '{"model": {"params": 1e9}, "model": {"params": 2e9}, "cluster": {"gpu": "card-80gb", "gpus": 8}}'
    code, out, err = run("-", "--json", stdin=text)
    assert (code, json.loads(out)["error"]["code"], err.count("\n")) == (2, "contradiction", 1)
    assert "'model' stands twice" in err


def test_a_byte_order_mark_is_no_part_of_the_plan(run):
    code, _, err = run("-", "--json", stdin="\ufeff" + json.dumps(PLAN))
    assert (code, err) == (0, "")


def test_a_folder_is_called_a_folder(run, tmp_path):
    for command in ("params", "memory"):
        code, _, err = run(str(tmp_path), command=command)
        assert (code, err.count("\n")) == (2, 1)
        assert err.endswith("is a folder; name a file in it\n")


def test_what_is_nested_without_end_is_not_blamed_on_python(run):
    assert "standard input is nested too deep to be read" in run("-", stdin="[" * 100_000)[2]


@pytest.mark.parametrize(
    ("name", "says"),
    [("llama-3.1-8", "? A config.json of a known family"), ("zzzz", "not in the catalogue; a config.json of a known")],
)
def test_a_name_that_is_not_there_is_answered_in_whole_sentences(run, name, says):
    assert says in run(name, command="params")[2]


def test_the_version_is_that_of_the_package(capsys):
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert (left.value.code, capsys.readouterr().out) == (0, f"{project['name']} {project['version']}\n")


def test_ctrl_c_ends_with_one_line(run, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("model.memory_command.read_json", stopped)
    assert run("-") == (130, "", "python -m model: stopped\n")


QUANTIZED = {"model_type": "llama", "num_hidden_layers": 2, "quantization_config": {"bits": 4}}


@pytest.mark.parametrize("command", ["params", "memory", "step"])
def test_what_a_config_leaves_out_and_what_is_ignored_is_said(run, command):
    plan = {"model": QUANTIZED, "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8}}
    given = json.dumps(QUANTIZED if command == "params" else plan)
    code, out, err = run("-", stdin=given, command=command)
    assert (code, err) == (0, "")
    assert "taken from the family's defaults: vocab_size 32000, hidden_size 4096, intermediate_size 11008" in out
    assert "num_hidden_layers" not in out
    assert "ignored, since they do not change the shape: quantization_config" in out
    assert ("not quantized: weights are counted at 2 bytes" in out) == (command != "params")
    report = json.loads(run("-", "--json", stdin=given, command=command)[1])
    assert (report["ignored"], report["defaulted"]["hidden_size"]) == (["quantization_config"], 4096)


@pytest.mark.parametrize("command", ["memory", "step"])
@pytest.mark.parametrize(("layout", "said"), [({}, True), ({"zero": 2}, True), ({"zero": 3}, False)])
def test_what_stage_2_of_fsdp2_means_is_said(run, command, layout, said):
    plan = {"model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8}, "layout": layout}
    out = run("-", stdin=json.dumps(plan | {"recipe": {"preset": "fsdp2"}}), command=command)[1]
    assert ("kept after forward; zero 3 reshards" in out) == said
    assert "131,072 tokens (the model's own context; batch.seq is another)" in out
    assert "kept after" not in run("-", stdin=json.dumps(plan | {"layout": {}}), command=command)[1]


def test_the_table_says_what_is_there_at_the_peak(run):
    plan = {
        "model": "llama-3.1-8b",
        "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8},
        "layout": {"zero": 3},
        "recipe": {"preset": "fsdp2"},
        "batch": {"seq": 8192},
        "activation": {"recompute": "full"},
    }
    logits = 8192 * 128256 * 12 / 1e9  # three fp32 tensors, though the column is net of gradients that are to come
    out = run("-", stdin=json.dumps(plan))[1]
    assert f"at the peak (stage 0, loss): logits {logits:.3f} GB, optimizer 8.030 GB, weights 4.015 GB; 4.015 GB" in out
    late = run("-", stdin=json.dumps(plan | {"recipe": {"preset": "megatron"}, "layout": {"zero": 1}}))[1]
    assert "at the peak" in late and "yet to come" not in late
    assert "at the peak (" not in run("-", stdin=json.dumps(PLAN))[1]


def test_standard_input_is_called_by_its_name(run):
    assert "standard input is not JSON" in run("-", stdin="{")[2]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16"])
def test_standard_input_is_utf_8_whatever_the_terminal_speaks(encoding):
    config = {"model_type": "gpt2", "note": "é \u00b5"}
    done = subprocess.run(
        [sys.executable, "-m", "model", "params", "-", "--json"],
        cwd=ROOT,
        input=json.dumps(config, ensure_ascii=False).encode("utf-8"),
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )
    assert json.loads(done.stdout.decode(encoding))["ignored"] == ["note"]


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_a_terminal_that_knows_only_ascii_is_answered(flags):
    done = subprocess.run(
        [sys.executable, "-m", "model", "memory", "-", *flags],
        cwd=ROOT,
        input=json.dumps(PLAN).encode(),
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.stderr == b""


@pytest.mark.parametrize(
    "wrong",
    [
        {"cluster": {"gpu": ["a", 1e999], "gpus": 8}},
        {"cluster": {"gpu": "\ud800", "gpus": 8}},
        {"cluster": {"gpu": "card-80gb", "gpus": 10**398}},
        {"recipe": {"preset": 1e999}},
        {"recipe": {"trainable": 10**398}},
        {"recipe": {"\ud800\n": 1}},
    ],
    ids=str,
)
def test_values_that_json_or_a_terminal_cannot_carry_back_are_still_one_line(run, wrong):
    text = json.dumps({**PLAN, **wrong}).replace("Infinity", "1e999")
    code, out, err = run("-", "--json", stdin=text)
    assert (code, err.count("\n")) == (2, 1)
    assert json.loads(out, parse_constant=pytest.fail)["error"]["field"]
