"""What stays and what comes late in a backward pass under fully sharded training, unit by unit."""

import pytest

from model.instants import rank_memory
from model.plan import read_plan
from tests.model.torch_models import LARGE, gpt, plan

ONE_LAYER = 12 * 4096**2 + 13 * 4096  # weights
TOKENS = 1024


def instants(model=LARGE, *, zero=3, trainable=1.0, **recipe):
    given = plan(
        model,
        64,
        preset="fsdp2",
        precision="bf16_master",
        layout={"zero": zero},
        recipe={"step": "fused", "trainable": trainable, **recipe},
        batch={"seq": TOKENS},
        activation={"recompute": "full"},
    )
    return rank_memory(read_plan(given), 0).instants


def there(name, **given):
    """Bytes at the largest instant of this name that are neither states nor kept for the backward pass."""
    return max(sum(one.states) + one.transient + one.logits for one in instants(**given) if one.name == name)


@pytest.mark.parametrize("name", ["backward", "end"])
def test_the_heads_gradient_stays_until_the_root_is_reduced(name):
    # Wrapped apart, the head is a unit of its own, reduced before any layer goes back; the root's weights go with it.
    apart = there(name, wrap="layer+root-apart")
    root = 2 * (2 * 50304 * 4096 + 1024 * 4096 + 2 * 4096)
    head = 2 * (50304 * 4096 + 2 * 4096)
    assert there(name) - apart == root + head


def test_frozen_weights_leave_no_gradient_of_the_head():
    trained, frozen = there("backward"), there("backward", trainable=0)
    assert trained - frozen > 2 * 50304 * 4096


def test_a_layer_ends_with_all_its_gradients_and_no_activation():
    last = [one for one in instants() if one.name == "end"][-1]
    inputs = 2 * TOKENS * 4096
    root_and_layer = 2 * (2 * 50304 * 4096 + 1024 * 4096 + 2 * 4096 + ONE_LAYER)
    head, moving = 2 * (50304 * 4096 + 2 * 4096), 2 * ONE_LAYER
    streams = 4 * inputs
    assert last.activations + last.transient == root_and_layer + head + 2 * ONE_LAYER + moving + streams


@pytest.mark.parametrize(
    ("zero", "measured"),
    # PyTorch 2.13.0, FSDPMemTracker on fake tensors: `python -m scripts.measure run --suite scale`.
    [(3, 4_874_503_048), (2, 18_167_667_976)],
)
def test_the_peak_of_seven_billion_parameters_on_64_ranks(zero, measured):
    peak = max(one.allocated for one in instants(zero=zero))
    assert measured == pytest.approx(peak, rel=0.03)


def test_many_tokens_make_the_activation_function_the_largest_moment():
    # With a small model's weights, what one layer recomputes decides, as it did without a count of its gradients.
    small = gpt(1024, 192, 8, 6, 4096)

    def most(tokens):
        given = plan(small, 8, preset="fsdp2", batch={"seq": tokens}, activation={"recompute": "full"})
        return max(one.transient for one in rank_memory(read_plan(given), 0).instants if one.name == "end")

    wide = 4 * 192 * 2  # bytes a token
    assert most(4096) - most(2048) > 2048 * wide
