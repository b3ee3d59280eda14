"""Every collective on two real ranks, with small arrays; and the fit, on times that are known. No second is asserted."""

from dataclasses import replace
from itertools import pairwise

import pytest

from scripts.measure.clock import spread
from scripts.measure.kinds.collectives import cases, fit
from tests.measure.torch.ranks import records_of


def test_every_operation_runs_and_is_told_in_full(tmp_path):
    small = [
        replace(one, options=tuple(sorted({**dict(one.options), "most_bytes": 2**16}.items())))
        for one in cases("ci", 2, "cpu")
    ]
    for record in records_of(small, tmp_path):
        result = record["result"]
        assert result["size_bytes"] == [2**10, 2**12, 2**14, 2**16]
        halves = {"all-reduce": 2, "broadcast": 2, "send": 2}.get(record["case"]["op"], 1)  # of S, on two ranks
        assert [2 * sent for sent in result["sent_bytes"]] == [halves * size for size in result["size_bytes"]]
        for index, times in enumerate(result["time_s"]):
            assert 0 < times["p10"] <= times["p50"] <= times["p90"]
            assert times["n"] == 40
            assert result["algbw_bytes_per_s"][index] == result["size_bytes"][index] / times["p50"]
            assert result["busbw_bytes_per_s"][index] == pytest.approx(result["sent_bytes"][index] / times["p50"])


@pytest.mark.parametrize("noise", [0, 0.05])
def test_a_fit_finds_the_alpha_and_beta_that_made_the_times(noise):
    priced = [(14, 7 * 2**power // 4) for power in range(10, 29, 2)]
    signs = [1 + noise * (-1) ** index for index in range(len(priced))]
    times = [(steps * 5e-6 + sent / 300e9) * sign for (steps, sent), sign in zip(priced, signs, strict=True)]
    alpha, beta, residual = fit(priced, times)
    assert alpha == pytest.approx(5e-6, rel=noise + 1e-9)
    assert beta == pytest.approx(300e9, rel=2 * noise + 1e-9)
    assert residual == pytest.approx(noise, abs=0.01)


def test_a_spread_is_in_order_and_counts():
    told = spread([5.0, 1.0, 3.0, 2.0, 4.0])
    assert told == {"p10": 1.4, "p50": 3.0, "p90": 4.6, "n": 5}
    assert all(one <= other for one, other in pairwise([told["p10"], told["p50"], told["p90"]]))
