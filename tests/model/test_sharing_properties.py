"""What must hold for every legal plan when the same model is shared out in another way."""

import itertools
import random

import pytest

from model.held import padded_vocabulary, rank_held
from model.plan import memory_report, read_plan
from model.tensors import parameters
from tests.model.random_plans import legal_plan, offered, with_layout

pytestmark = pytest.mark.long

SEEDS = range(100)


def held_by_all(given):
    """Elements that all ranks of one replica hold together, and those that padding or a second copy add at most."""
    plan = read_plan(given)
    layout, shape = plan.layout, plan.shape
    held = [item for chunks in plan.ranks for item in rank_held(shape, layout, chunks)]
    cuts = [layout.ep * layout.etp if item.expert else 1 for item in held]
    cuts = [layout.tp if item.cut and not item.expert else cut for item, cut in zip(held, cuts, strict=True)]
    # A router and what else is whole on every rank counts once; a rank holds its largest part of what is cut.
    together = sum(item.elements * cut for item, cut in zip(held, cuts, strict=True))
    # A pipeline that turns back has the embedding and the head on one rank.
    apart = not any(any(chunk.first for chunk in own) and any(chunk.last for chunk in own) for own in plan.ranks)
    return together, shape.tie_word_embeddings * apart * padded_vocabulary(shape, layout) * shape.embedding_size


@pytest.mark.parametrize("seed", SEEDS)
def test_what_all_ranks_hold_sums_to_the_model(seed):
    given = legal_plan(seed)
    shape = read_plan(given).shape
    together, second = held_by_all(given)
    # Cuts that do not come out even are padded, and keys with fewer heads than ranks are copied.
    assert parameters(shape) <= together - second < 1.3 * parameters(shape) + 10**6
    even = with_layout(given, tp=1, vocab_multiple=1, ep=1, etp=1, shard_group=None)
    together, second = held_by_all(even)
    assert together - second == parameters(shape)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_shards_of_all_replicas_sum_to_what_one_holds_alone(seed):
    given = legal_plan(seed)
    given["recipe"] |= {"preset": "zero-paper", "offload": "none"}
    alone, shared = ([s["entries"] for s in memory_report(with_layout(given, zero=z))["stages"]] for z in (0, 3))
    layout = read_plan(with_layout(given, zero=3)).layout
    for whole, parts in zip(itertools.chain(*alone), itertools.chain(*shared), strict=True):
        experts = "P_experts" in whole["formula"]
        ranks = layout.expert_shard_ranks if experts else layout.shard_ranks
        assert whole["bytes"] <= parts["bytes"] * ranks < whole["bytes"] + ranks * 2


def has_experts(seed):
    """Whether a random plan's model is a mixture of experts."""
    return "num_experts" in legal_plan(seed)["model"]["architecture"]


@pytest.mark.parametrize("seed", [seed for seed in range(300) if has_experts(seed)][:60])
def test_expert_parallelism_leaves_activations_unchanged(seed):
    given = legal_plan(seed)
    given["layout"]["shard_group"] = None

    def kept(ep):
        report = memory_report(with_layout(given, ep=ep))
        return [(stage["kept_by_micro_batch"], stage["in_flight"]) for stage in report["stages"]]

    plan = read_plan(given)
    ranks = plan.layout.replicas * plan.layout.tp // plan.layout.etp
    amounts = [kept(ep) for ep in (1, 2, 4, 8) if ranks % ep == 0]
    assert all(amount == amounts[0] for amount in amounts)


@pytest.mark.parametrize("seed", SEEDS)
def test_virtual_stages_never_lower_what_is_kept(seed):
    given = legal_plan(seed)
    given["recipe"]["preset"], given["layout"]["zero"] = "zero-paper", 0
    given["recipe"]["offload"] = offered(given)
    given["activation"]["recompute_layers"] = None
    pp = random.Random(seed).choice((2, 4))
    given = with_layout(given, pp=pp, stage_layers=None)
    replicas = given["cluster"]["gpus"] // (pp * given["layout"]["tp"] * given["layout"]["cp"])
    given["batch"]["global_batch"] = (
        replicas * given["batch"]["micro_batch"] * pp * random.Random(seed).choice((1, 2, 4))
    )

    def kept(vpp):
        given["schedule"]["kind"] = "interleaved" if vpp > 1 else "1f1b"
        stages = memory_report(with_layout(given, vpp=vpp))["stages"]
        return max(instant["activations"] for stage in stages for instant in stage["instants"])

    layers = given["model"]["architecture"]["num_hidden_layers"]
    amounts = [kept(vpp) for vpp in (1, 2, 4) if layers % (pp * vpp) == 0]
    assert min(amounts) == amounts[0]  # of one stage a rank
