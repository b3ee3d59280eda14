"""Names of files, fields and values that try to write on the terminal: what is printed holds no control character."""

import json

import pytest

from model.__main__ import main

HOSTILE = "\x1b[31mred\x1b[0m\x1b]0;title\x07\r\x9b2J\u202e<b>\u2028end"
PLAN = {"model": {"params": 7.5e9}, "cluster": {"gpu": "card-80gb", "gpus": 8}}
CONFIG = {"model_type": "gpt2"}
COMMANDS = (["memory"], ["step"], ["solve", "--for", "seq"], ["params"])
DOCUMENTS = {
    "field of a plan": {**PLAN, HOSTILE: 1},
    "field of a part": {**PLAN, "layout": {HOSTILE: 1}},
    "name of a card": {**PLAN, "cluster": {"gpu": HOSTILE, "gpus": 8}},
    "name of a model": {**PLAN, "model": HOSTILE},
    "field of a shape": {**PLAN, "model": {"architecture": {HOSTILE: 1}}},
    "field of a config": {**CONFIG, HOSTILE: 1, "quantization_config": {HOSTILE: 1}},
    "family of a config": {"model_type": HOSTILE},
    "value in a config": {**CONFIG, "n_embd": HOSTILE},
    "config in a plan": {**PLAN, "model": {**CONFIG, HOSTILE: 1}},
    "one of a list": [PLAN, {**PLAN, HOSTILE: 1}, {**CONFIG, HOSTILE: 1}],
}


def control_characters(text):
    return {each for each in text if not each.isprintable() and each not in "\n\u00a0"}


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
@pytest.mark.parametrize("json_too", [False, True], ids=["table", "json"])
def test_what_a_file_holds_is_printed_plainly(tmp_path, capsys, command, document, json_too):
    path = tmp_path / "given.json"
    path.write_text(json.dumps(document), "utf-8")
    main([command[0], str(path), *command[1:], *(["--json"] if json_too else [])])
    out, err = capsys.readouterr()
    assert control_characters(out + err) == set()
    assert err.count("\n") <= 3


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("content", [None, "{", json.dumps({**CONFIG, HOSTILE: 1}), f'{{"a{HOSTILE}": 1}}'])
def test_a_files_name_is_printed_plainly(tmp_path, capsys, command, content):
    path = tmp_path / f"{HOSTILE}\nsecond line.json"
    if content is not None:
        path.write_text(content, "utf-8")
    main([command[0], str(path), *command[1:]])
    out, err = capsys.readouterr()
    assert control_characters(out + err) == set()
    assert err.count("\n") <= 1


@pytest.mark.parametrize(
    "words",
    [
        [HOSTILE],
        ["memory", f"--{HOSTILE}"],
        ["schedule", "--kind", HOSTILE, "--stages", "4", "--micro-batches", "8"],
        ["collective", HOSTILE, "--bytes", "1", "--ranks", "2", "--link", "nvlink4"],
        ["collective", "all-reduce", "--bytes", HOSTILE, "--ranks", "2", "--link", "nvlink4"],
        ["collective", "all-reduce", "--bytes", "1", "--ranks", "2", "--link", f"450:{HOSTILE}"],
    ],
    ids=" ".join,
)
def test_a_word_of_the_command_is_printed_plainly(capsys, words):
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert control_characters(out + err) == set()
