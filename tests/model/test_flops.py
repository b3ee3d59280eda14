"""FLOPs of a token: identities, published formulas and published counts."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from model.flops import flops_per_token
from model.megatron import parameters
from model.models import described_model, model_named
from model.parameters import parameter_report

DATA = json.loads((Path(__file__).parent / "data" / "megatron.json").read_text("utf-8"))


def gpt(row, **more):
    """The GPT of Megatron-LM's tables, in the neutral form."""
    shape = {
        "vocab_size": row["vocab"],
        "hidden_size": row["hidden"],
        "num_hidden_layers": row["layers"],
        "num_attention_heads": row["heads"],
        "intermediate_size": 4 * row["hidden"],
        "gated": False,
        "mlp_bias": True,
        "attn_qkv_bias": True,
        "attn_o_bias": True,
        "norm": "layernorm",
        "pos_embed_rows": row["seq"],
        "tie_word_embeddings": True,
        **more,
    }
    return described_model({"architecture": shape})


def sizes(row):
    return {name: row[name] for name in ("hidden", "layers", "vocab", "seq")}


@pytest.mark.parametrize("row", DATA["table1_weak_scaling"], ids=lambda row: f"{row['params_billion_published']}B")
def test_megatrons_formula_for_parameters_leaves_the_last_norm_out(row):
    count = parameters(**sizes(row))
    assert parameter_report(gpt(row).architecture)["total"] == count + 2 * row["hidden"]


# torchtitan, benchmarks: flops_per_token_titan = 6 (N − embedding) + 12·L·a·d·s; its N has the norms, ours only matrices.
@pytest.mark.parametrize(
    ("name", "seq", "published"),
    [
        ("llama-3.1-8b", 8192, 57_914_449_920),
        ("llama-3.1-8b", 131_072, 251_187_978_240),
        ("llama-3.1-70b", 8192, 481_442_709_504),
        ("llama-3.1-405b", 8192, 2_625_449_459_712),
        ("llama-3.1-405b", 262_144, 8_916_502_806_528),
    ],
)
def test_torchtitan_counts_the_same_plus_its_norms(name, seq, published):
    shape = model_named(name).architecture
    norms = 6 * (2 * shape.num_hidden_layers + 1) * shape.hidden_size
    assert flops_per_token(shape, seq).model() + norms == published


def test_nvidia_halves_attention_for_causality():
    # Megatron-Bridge prints 51.46 to 51.50 GFLOP a token for Llama 3 8B at 8,192.
    flops = flops_per_token(model_named("llama-3-8b").architecture, 8192, "causal")
    assert 51.46e9 < flops.model() < 51.50e9


def test_a_tied_head_costs_its_flops_all_the_same():
    tied, untied = (
        flops_per_token(
            gpt(
                {"vocab": 1000, "hidden": 64, "layers": 2, "heads": 4, "seq": 128}, tie_word_embeddings=tie
            ).architecture,
            128,
        )
        for tie in (True, False)
    )
    assert tied == untied
    assert tied.head == 2 * 1000 * 64


def test_of_a_mixture_of_experts_only_the_visited_ones_count():
    shape = model_named("mixtral-8x7b-v0.1").architecture
    active = parameter_report(shape)["active_without_embedding"]
    flops = flops_per_token(shape, 4096)
    norms = (2 * shape.num_hidden_layers + 1) * shape.hidden_size
    assert flops.layers + flops.head == 2 * (active - norms)


def test_latent_attention_counts_both_of_its_widths():
    shape = model_named("deepseek-v3").architecture
    flops = flops_per_token(shape, 4096)
    assert 3 * flops.attention == 6 * 61 * 128 * (192 + 128) * 4096


def test_a_sliding_window_ends_the_scores():
    shape = model_named("mistral-7b-v0.1").architecture
    assert shape.sliding_window == 4096
    at_window, beyond = (flops_per_token(shape, seq).attention for seq in (4096, 32_768))
    assert at_window == beyond


def test_full_recomputation_adds_the_forward_of_the_layers_and_a_share_its_share():
    flops = flops_per_token(model_named("llama-3.1-8b").architecture, 8192)
    assert flops.recomputed("none") == 0
    assert flops.recomputed("full") == flops.forward - flops.head
    assert flops.recomputed("full", Fraction(1, 4)) * 4 == flops.recomputed("full")


def test_frozen_matrices_need_no_gradient_of_their_own():
    flops = flops_per_token(model_named("llama-3.1-8b").architecture, 8192)
    assert flops.model() - flops.model(Fraction(0)) == flops.layers + flops.head
