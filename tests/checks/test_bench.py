"""What the bench compares with: the widget written by hand says what Python says, or the comparison means nothing."""

import json

import pytest

from scripts.bench import by_hand
from scripts.bench.changes import percentile
from scripts.tools import ROOT, node, output_of
from widgets.api import render

RIVAL = ROOT / "scripts" / "bench" / "rivals" / "zero_memory.js"
ASK = (
    f'import {{ answer }} from "{RIVAL.as_uri()}"; console.log(JSON.stringify(JSON.parse(process.argv[1]).map(answer)))'
)


def test_the_widget_by_hand_says_what_python_says():
    asked = [{"stage": stage, "gpus": gpus} for stage in by_hand.STAGES for gpus in range(1, 65)]
    told = json.loads(output_of(node(), "--input-type=module", "-e", ASK, json.dumps(asked)))
    assert told == [json.loads(render(by_hand.NAME, json.dumps(params))) for params in asked]


@pytest.mark.parametrize(("share", "value"), [(0.5, 50), (0.95, 95), (0.99, 99)])
def test_a_percentile_is_a_sample_that_so_many_do_not_exceed(share, value):
    assert percentile(list(range(100, 0, -1)), share) == value
