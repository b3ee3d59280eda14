"""Parameters by tensor: published counts exactly, and sums that must agree whatever the shape."""

import json
from math import prod
from pathlib import Path

import pytest

from model.architecture import Architecture
from model.errors import Invalid
from model.models import ALIASES, MODELS, described_model, model_named
from model.parameters import parameter_report
from model.shape import FIELDS
from model.tensors import COMPONENTS, embedding_tensors, head_tensors, layer_tensors, parameters

DATA = Path(__file__).parent / "data"
ROWS = json.loads((DATA / "param_counts.json").read_text("utf-8"))["rows"]
BUILT = json.loads((DATA / "transformers_counts.json").read_text("utf-8"))
SMALL = {
    "vocab_size": 100,
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
}
MIXTURE = {**SMALL, "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 8}


def shape(**fields):
    return Architecture.from_neutral({**SMALL, **fields})


def report(**fields):
    return parameter_report(shape(**fields))


def refused(given):
    with pytest.raises(Invalid) as caught:
        Architecture.from_neutral(given)
    return caught.value


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["model"])
def test_every_part_of_a_published_count_is_met_exactly(row):
    parts, layers = row["breakdown"], row["config"]["num_hidden_layers"]
    counted = parameter_report(Architecture.from_neutral(row["config"]))["components"]
    assert counted == {
        "embedding": parts["embed"],
        "position": parts["pos_embed"],
        "attention": parts["attn_per_layer"] * layers,
        "mlp": counted["mlp"],
        "experts": counted["experts"],
        "router": counted["router"],
        "norm": parts["embed_norm"] + parts["norms_per_layer"] * layers + parts["final_norm"],
        "head": parts["lm_head"],
        "other": 0,
    }
    assert counted["mlp"] + counted["experts"] + counted["router"] == parts["mlp_total"] - row["buffers"]


def test_the_models_that_transformers_does_not_build_are_checked_by_their_publishers():
    assert set(MODELS) - set(BUILT["catalogue"]) == {"kimi-k2-instruct", "gpt-3-175b", "megatron-1t"}
    published = {row["model"]: row["parameters"] for row in ROWS}
    assert parameters(model_named("kimi-k2").architecture) == published["Kimi-K2"]


# Narayanan et al. 2021, equation 2, which leaves out the final norm's 2h (arXiv:2104.04473).
@pytest.mark.parametrize("name", ["gpt-3-175b", "megatron-1t"])
def test_megatrons_formula_for_parameters_is_the_sum_of_the_tensors(name):
    model = model_named(name).architecture
    h, layers, rows = model.hidden_size, model.num_hidden_layers, model.vocab_size + model.pos_embed_rows
    assert parameters(model) - 2 * h == 12 * layers * h * h + 13 * layers * h + rows * h


@pytest.mark.parametrize(
    ("name", "billions"),
    [("llama-2-70b", "68.98"), ("qwen1.5-72b", "72.29"), ("gpt-j-6b", "6.05"), ("gpt-3-175b", "174.62")],
)
def test_counts_that_other_calculators_get_wrong(name, billions):
    assert f"{parameters(model_named(name).architecture) / 1e9:.2f}" == billions


def test_gpt_j_has_a_head_with_a_bias():
    counted = parameter_report(model_named("gpt-j-6b").architecture)
    assert round(counted["total"] / 1e6) == 6051
    assert counted["by_tensor"]["lm_head.bias"]["parameters"] == 50400


def test_deepseek_v3_activates_37_billion():
    counted = parameter_report(model_named("deepseek-v3").architecture)
    assert (counted["total"], counted["active"]) == (671_026_404_352, 37_552_282_624)
    assert counted["active_without_embedding"] == counted["active"] - 129280 * 7168


@pytest.mark.parametrize("name", [*MODELS, *ALIASES])
def test_every_catalogue_model_is_known_by_name_with_its_source_and_context(name):
    model = model_named(name)
    assert model.name in MODELS
    assert model.source.url.startswith("https://")
    assert model.architecture.max_position_embeddings >= 1024
    assert model.ignored == ()


@pytest.mark.parametrize("name", MODELS)
def test_sums_agree_however_they_are_taken(name):
    model = model_named(name).architecture
    counted = parameter_report(model)
    assert set(counted["components"]) == set(COMPONENTS)
    assert sum(counted["components"].values()) == counted["total"] == parameters(model)
    assert sum(line["parameters"] for line in counted["by_tensor"].values()) == counted["total"]
    assert all(line["parameters"] == prod(line["shape"]) * line["count"] for line in counted["by_tensor"].values())
    assert counted["active_without_embedding"] < counted["active"] <= counted["total"]
    assert (counted["active"] == counted["total"]) == (model.num_experts == 0)


@pytest.mark.parametrize("name", MODELS)
def test_layer_by_layer_is_the_whole(name):
    model = model_named(name).architecture
    outside = [*embedding_tensors(model), *head_tensors(model)]
    inside = [
        tensor for layer in range(model.num_hidden_layers) for tensor in layer_tensors(model, moe=model.is_moe(layer))
    ]
    assert sum(tensor.parameters for tensor in outside + inside) == parameters(model)


@pytest.mark.parametrize("name", MODELS)
def test_the_neutral_form_reads_back_as_it_was_written(name):
    model = model_named(name).architecture
    assert Architecture.from_neutral(json.loads(json.dumps(model.as_dict()))) == model


def test_a_tied_head_counts_once():
    assert report(tie_word_embeddings=False)["total"] - report(tie_word_embeddings=True)["total"] == 100 * 16


def test_fewer_key_value_heads_narrow_keys_and_values_alone():
    lines = report(num_key_value_heads=2)["by_tensor"]
    widths = {name: lines[f"model.layers.*.self_attn.{name}_proj.weight"]["shape"] for name in "qkvo"}
    assert widths == {"q": [16, 16], "k": [8, 16], "v": [8, 16], "o": [16, 16]}


def test_dense_layers_of_a_mixture_keep_their_mlp():
    model = Architecture.from_neutral({**MIXTURE, "first_k_dense_replace": 1})
    assert [model.is_moe(layer) for layer in range(4)] == [False, True, True, True]
    counted = parameter_report(model)
    assert counted["components"]["mlp"] == 3 * 16 * 32
    assert counted["components"]["experts"] == 3 * 8 * 3 * 16 * 8
    assert counted["total"] - counted["active"] == counted["components"]["experts"] * 6 // 8


def test_a_correction_bias_of_the_router_is_a_buffer():
    plain, balanced = ({**MIXTURE, "router_correction_bias": value} for value in (False, True))
    assert parameters(Architecture.from_neutral(plain)) == parameters(Architecture.from_neutral(balanced))


def test_every_layer_slides_unless_some_are_named():
    assert [shape(sliding_window=8).window_of(layer) for layer in range(4)] == [8] * 4
    assert [shape(sliding_window=8, sliding_layers=[0, 2]).window_of(layer) for layer in range(4)] == [8, None] * 2
    assert shape().window_of(0) is None


@pytest.mark.parametrize("tensor", layer_tensors(shape(mlp_bias=True, attn_o_bias=True), moe=False), ids=str)
def test_tensor_parallelism_cuts_matrices_and_keeps_norms_whole(tensor):
    if tensor.component == "norm":
        assert tensor.tp_dim is None
    elif tensor.name.endswith("weight"):
        assert tensor.tp_dim == (1 if "o_proj" in tensor.name or "down_proj" in tensor.name else 0)
    else:
        assert tensor.tp_dim == (None if "o_proj" in tensor.name or "down_proj" in tensor.name else 0)


@pytest.mark.parametrize(
    ("given", "field", "code"),
    [
        ([], "architecture", "wrong_type"),
        ({**SMALL, "hiden_size": 1}, "architecture.hiden_size", "unknown_field"),
        ({key: SMALL[key] for key in SMALL if key != "hidden_size"}, "architecture.hidden_size", "missing_field"),
        ({**SMALL, "hidden_size": 0}, "architecture.hidden_size", "out_of_range"),
        ({**SMALL, "hidden_size": 10**400}, "architecture.hidden_size", "out_of_range"),
        ({**SMALL, "hidden_size": float("nan")}, "architecture.hidden_size", "out_of_range"),
        ({**SMALL, "hidden_size": 16.5}, "architecture.hidden_size", "wrong_type"),
        ({**SMALL, "hidden_size": True}, "architecture.hidden_size", "wrong_type"),
        ({**SMALL, "hidden_size": None}, "architecture.hidden_size", "wrong_type"),
        ({**SMALL, "hidden_size": 18}, "architecture.hidden_size", "not_divisible"),
        ({**SMALL, "num_hidden_layers": 10**6}, "architecture.num_hidden_layers", "out_of_range"),
        ({**SMALL, "num_key_value_heads": 3}, "architecture.num_attention_heads", "not_divisible"),
        ({**SMALL, "intermediate_size": 0}, "architecture.intermediate_size", "missing_field"),
        ({**SMALL, "gated": "yes"}, "architecture.gated", "wrong_type"),
        ({**SMALL, "norm": "batch"}, "architecture.norm", "unknown_value"),
        ({**SMALL, "norm": {}}, "architecture.norm", "unknown_value"),
        ({**SMALL, "v_head_dim": 8}, "architecture.v_head_dim", "contradiction"),
        ({**SMALL, "num_experts_per_tok": 2}, "architecture.num_experts_per_tok", "contradiction"),
        ({**SMALL, "kv_lora_rank": 8}, "architecture.kv_lora_rank", "contradiction"),
        ({**SMALL, "mla": True}, "architecture.kv_lora_rank", "missing_field"),
        ({**SMALL, "sliding_layers": [0]}, "architecture.sliding_layers", "contradiction"),
        ({**SMALL, "sliding_window": 8, "sliding_layers": [4]}, "architecture.sliding_layers", "contradiction"),
        ({**SMALL, "sliding_window": 8, "sliding_layers": ["x"]}, "architecture.sliding_layers[0]", "wrong_type"),
        ({**MIXTURE, "num_experts_per_tok": 9}, "architecture.num_experts_per_tok", "contradiction"),
        ({**MIXTURE, "moe_intermediate_size": 0}, "architecture.moe_intermediate_size", "missing_field"),
        ({**MIXTURE, "first_k_dense_replace": 5}, "architecture.first_k_dense_replace", "contradiction"),
        ({**MIXTURE, "dense_layers": [0], "first_k_dense_replace": 1}, "architecture.dense_layers", "contradiction"),
        (
            {**MIXTURE, "first_k_dense_replace": 1, "intermediate_size": 0},
            "architecture.intermediate_size",
            "missing_field",
        ),
    ],
)
def test_a_wrong_shape_names_the_field(given, field, code):
    error = refused(given)
    assert (error.field, error.code) == (field, code)
    assert error.message


def test_a_misspelt_field_is_answered_with_the_nearest():
    assert "did you mean 'hidden_size'?" in refused({**SMALL, "hiden_size": 1}).message


def test_a_misspelt_model_is_answered_with_the_nearest():
    with pytest.raises(Invalid, match=r"did you mean llama-3\.1-8b"):
        described_model("meta-llama/Llama-3.1-8B-x")


def test_a_shape_too_large_for_exact_bytes_is_refused():
    with pytest.raises(Invalid, match="at most") as caught:
        described_model({"architecture": {**SMALL, "vocab_size": 10**9, "hidden_size": 4 * 10**8}}, "model")
    assert caught.value.code == "out_of_range"


def test_the_neutral_form_has_the_fields_of_the_record():
    assert set(Architecture.__slots__) - set(FIELDS) == set()
