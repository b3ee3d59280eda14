"""What is trained has gradients and optimizer state; what is frozen has neither, in no buffer either."""

import itertools

import pytest

from model.plan import memory_report
from tests.model.random_plans import legal_plan
from tests.model.torch_models import plan

LLAMA_2_7B = 6_738_415_616


def stage(given):
    return memory_report(given)["stages"][0]


@pytest.mark.parametrize("seed", range(80))
def test_nothing_is_larger_when_less_is_trained(seed):
    given = legal_plan(seed)
    # nanotron's slack is a fitted share of what comes and goes at the peak, which may be another instant.
    own = given["activation"]["implementation"] == "nanotron"

    def held(share):
        given["recipe"]["trainable"] = share
        return [
            [one["resting"], one["allocated_peak" if own else "reserved_peak"]]
            + [each["allocated"] for each in one["instants"]]
            for one in memory_report(given)["stages"]
        ]

    for more, less in itertools.pairwise(map(held, (1, 0.5, 0.001, 0))):
        for high, low in zip(more, less, strict=True):
            assert all(small <= large for small, large in zip(low, high, strict=True)), (high, low)


def test_frozen_weights_have_no_gradients_on_their_way():
    def transient(share):
        given = plan("llama-2-70b", 16, preset="fsdp2", layout={"pp": 2, "zero": 3}, recipe={"trainable": share})
        given["batch"] = {"seq": 4096, "global_batch": 64}
        return max(one["transient"] for one in stage(given)["instants"])

    # Half of its 68.98 B parameters: fp32 sums of 4 bytes are gone, the weights gathered in bf16 stay.
    assert transient(1) - transient(0.001) > 4 * 34.4e9 * 0.999
    assert 2 * 34e9 < transient(0.001) < 2 * 40e9
    assert 0.0009 < (transient(0.001) - transient(0)) / (transient(1) - transient(0)) < 0.0011


def test_the_temporary_of_the_optimizer_is_of_what_is_trained():
    def temporary(share):
        found = stage(plan("llama-2-7b", 1, preset="pure-bf16", recipe={"trainable": share}))
        return next(one for one in found["instants"] if one["instant"] == "step")["transient"]

    assert temporary(0.25) == temporary(1) // 4 == 2 * LLAMA_2_7B // 4
