"""What Megatron-LM keeps between two steps beside the states: workspaces, what came over the pipeline, dummies."""

import pytest

from model.engine_buffers import engine_buffers
from model.held import rank_held
from model.instants import rank_memory
from model.layer_kept import layer_kept
from model.overhead import reserved_peak
from model.plan import read_plan
from model.units import MIB

SHAPE = {
    "vocab_size": 50304,
    "hidden_size": 512,
    "num_hidden_layers": 12,
    "num_attention_heads": 8,
    "intermediate_size": 2048,
    "gated": False,
}
EXPERTS = SHAPE | {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 1024}


def megatron(shape=SHAPE, gpus=8, gpu="h100-sxm-80gb", loss="eager", implementation="megatron-te", **layout):
    return read_plan(
        {
            "model": {"architecture": shape},
            "cluster": {"gpu": gpu, "gpus": gpus},
            "layout": layout,
            "recipe": {"preset": "megatron"},
            "batch": {"seq": 1024, "micro_batch": 4, "global_batch": 32 * 4},
            "activation": {"implementation": implementation, "loss": loss},
        }
    )


def kept(plan, rank=0):
    return engine_buffers(plan, rank_held(plan.shape, plan.layout, plan.ranks[rank]), plan.ranks[rank])


@pytest.mark.parametrize(("gpu", "mebibytes"), [("h100-sxm-80gb", 96), ("gb200-186gb", 96), ("a100-sxm-80gb", 68)])
def test_three_workspaces_of_which_transformer_engines_own_is_small_before_hopper(gpu, mebibytes):
    assert kept(megatron(gpu=gpu)) == mebibytes * MIB


def test_grouped_experts_run_on_four_more_streams():
    assert kept(megatron(EXPERTS)) - kept(megatron()) == 4 * 32 * MIB


def test_other_implementations_keep_none():
    assert kept(megatron(implementation="megatron")) == 0


@pytest.mark.parametrize(("vpp", "chunks"), [(1, (0, 1)), (3, (2, 3))])
def test_each_chunk_but_the_models_first_keeps_its_last_input_and_the_gradient_of_it(vpp, chunks):
    plan = megatron(pp=4, vpp=vpp)
    border = 1024 * 4 * 512 * 2
    memories = [rank_memory(plan, rank) for rank in (0, 3)]
    assert tuple(memory.left // (2 * border) for memory in memories) == chunks
    for memory in memories:
        assert memory.resting == memory.states.total_bytes + memory.resident + memory.left


def test_dummy_gradients_of_each_shape_with_a_fused_loss():
    # q, k and v in one, the matrix after attention, the two of the MLP, and the head.
    shapes = 3 * 512 * 512 + 512 * 512 + 2 * 2048 * 512 + 50304 * 512
    assert kept(megatron(loss="fused")) - kept(megatron()) == 2 * shapes


@pytest.mark.parametrize("etp", [1, 2, 4])
def test_experts_see_the_tokens_of_the_ranks_that_share_them(etp):
    plan = megatron(EXPERTS, tp=4, etp=etp, sequence_parallel=True)
    amounts = {tensor.name: tensor.amount_bytes for tensor in layer_kept(plan, moe=True, recomputed=True).kept}
    tokens = 1024 * 4 * etp // 4
    assert amounts["expert input"] == 2 * tokens * 512 * 2
    assert amounts["expert activated"] == 2 * tokens * 1024 // etp * 2


def test_nanotron_without_a_pipeline_waits_for_what_its_matrices_reduce_and_scatter():
    def beyond(**layout):
        given = {
            "model": {"architecture": SHAPE},
            "cluster": {"gpu": "h100-sxm-80gb", "gpus": 32},
            "layout": layout,
            "recipe": {"preset": "nanotron"},
            "batch": {"seq": 1024, "micro_batch": 4, "global_batch": 32 * 4},
            "activation": {"implementation": "nanotron"},
        }
        plan = read_plan(given)
        memory = rank_memory(plan, 0)
        allocated = memory.peak.allocated
        dynamic = allocated - sum(memory.peak.states) - memory.resident
        return reserved_peak(plan, memory) - allocated - 64 * MIB - (3 * allocated + 25 * dynamic) // 100

    output = 1024 * 4 * 512 * 2
    assert abs(beyond(tp=4, sequence_parallel=True) - 2 * 12 * output * 3 // 4) <= 1
    for layout in ({"tp": 4, "pp": 2, "sequence_parallel": True}, {"tp": 4}, {"tp": 1}):
        assert abs(beyond(**layout)) <= 1
