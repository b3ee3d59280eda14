"""A config.json of every family becomes the right shape, or an error that names the field."""

import json
import random
from pathlib import Path

import pytest

from model.architecture import Architecture
from model.config import read_config
from model.errors import Invalid
from model.families import FAMILIES
from model.models import MODELS, described_model
from model.parameters import MOST_PARAMETERS, parameter_report
from model.tensors import parameters

DATA = Path(__file__).parent / "data"
ROWS = {row["model"]: row for row in json.loads((DATA / "param_counts.json").read_text("utf-8"))["rows"]}
BUILT = json.loads((DATA / "transformers_counts.json").read_text("utf-8"))["configs"]
# What these say is where positions end and windows lie; the rows count parameters only.
UNCOUNTED = {"max_position_embeddings", "sliding_window", "sliding_layers"}
DEEPSEEK = {
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "moe_layer_freq": 1,
}


def config(model_type, architecture, **fields):
    """A config.json as the hub has it, with the fields around the shape that every one has."""
    around = {"bos_token_id": 1, "initializer_range": 0.02, "torch_dtype": "bfloat16", "use_cache": True}
    return {"architectures": [architecture], "model_type": model_type, **around, **fields}


def sizes(h, f, layers, heads, kv, vocab, **more):
    return {
        "hidden_size": h,
        "intermediate_size": f,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv,
        "vocab_size": vocab,
        **more,
    }


CONFIGS = {
    "Llama-1-65B": config("llama", "LlamaForCausalLM", **sizes(8192, 22016, 80, 64, None, 32000)),
    "Llama-2-70B": config(
        "llama", "LlamaForCausalLM", **sizes(8192, 28672, 80, 64, 8, 32000, pretraining_tp=1, rope_scaling=None)
    ),
    "Llama-3.2-1B": config(
        "llama",
        "LlamaForCausalLM",
        **sizes(2048, 8192, 16, 32, 8, 128256, head_dim=64, attention_bias=False, tie_word_embeddings=True),
    ),
    "SmolLM2-1.7B": config(
        "llama", "LlamaForCausalLM", **sizes(2048, 8192, 24, 32, 32, 49152, tie_word_embeddings=True)
    ),
    "Mistral-Nemo-12B": config(
        "mistral", "MistralForCausalLM", **sizes(5120, 14336, 40, 32, 8, 131072, head_dim=128, sliding_window=None)
    ),
    "Mixtral-8x7B-v0.1": config(
        "mixtral",
        "MixtralForCausalLM",
        **sizes(4096, 14336, 32, 32, 8, 32000, num_local_experts=8, num_experts_per_tok=2, router_aux_loss_coef=0.02),
    ),
    "Gemma-7B": config("gemma", "GemmaForCausalLM", **sizes(3072, 24576, 28, 16, 16, 256000, head_dim=256)),
    "Gemma-2-27B": config(
        "gemma2", "Gemma2ForCausalLM", **sizes(4608, 36864, 46, 32, 16, 256000, head_dim=128, query_pre_attn_scalar=144)
    ),
    "Gemma-3-1B": config(
        "gemma3_text",
        "Gemma3ForCausalLM",
        **sizes(1152, 6912, 26, 4, 1, 262144, head_dim=256, sliding_window=512, sliding_window_pattern=6),
    ),
    # The multimodal file leaves out of text_config what Gemma3TextConfig has as its default.
    "Gemma-3-4B text": config(
        "gemma3",
        "Gemma3ForConditionalGeneration",
        text_config={
            "hidden_size": 2560,
            "intermediate_size": 10240,
            "model_type": "gemma3_text",
            "num_hidden_layers": 34,
            "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
            "sliding_window": 1024,
        },
        vision_config={"hidden_size": 1152, "model_type": "siglip_vision_model", "num_hidden_layers": 27},
    ),
    "Qwen2.5-72B": config(
        "qwen2",
        "Qwen2ForCausalLM",
        **sizes(8192, 29568, 80, 64, 8, 152064, use_sliding_window=False, sliding_window=131072, max_window_layers=80),
    ),
    "Qwen3-4B": config(
        "qwen3",
        "Qwen3ForCausalLM",
        **sizes(2560, 9728, 36, 32, 8, 151936, head_dim=128, attention_bias=False, tie_word_embeddings=True),
    ),
    "Qwen3-30B-A3B": config(
        "qwen3_moe",
        "Qwen3MoeForCausalLM",
        **sizes(2048, 6144, 48, 32, 4, 151936, head_dim=128, num_experts=128, num_experts_per_tok=8),
        moe_intermediate_size=768,
        decoder_sparse_step=1,
        mlp_only_layers=[],
    ),
    "Phi-4": config("phi3", "Phi3ForCausalLM", **sizes(5120, 17920, 40, 40, 10, 100352, sliding_window=None)),
    "OLMo-2-1124-7B": config("olmo2", "Olmo2ForCausalLM", **sizes(4096, 11008, 32, 32, 32, 100352)),
    "gpt-oss-20b": config(
        "gpt_oss",
        "GptOssForCausalLM",
        **sizes(2880, 2880, 24, 64, 8, 201088, head_dim=64, num_local_experts=32, num_experts_per_tok=4),
        experts_per_token=4,
        attention_bias=True,
        sliding_window=128,
        layer_types=["sliding_attention", "full_attention"] * 12,
        quantization_config={"quant_method": "mxfp4"},
    ),
    "DeepSeek-V2": config(
        "deepseek_v2",
        "DeepseekV2ForCausalLM",
        **sizes(5120, 12288, 60, 128, 128, 102400, n_routed_experts=160, n_shared_experts=2, num_experts_per_tok=6),
        **DEEPSEEK,
        moe_intermediate_size=1536,
        first_k_dense_replace=1,
    ),
    "DeepSeek-V3": config(
        "deepseek_v3",
        "DeepseekV3ForCausalLM",
        **sizes(7168, 18432, 61, 128, 128, 129280, n_routed_experts=256, n_shared_experts=1, num_experts_per_tok=8),
        **DEEPSEEK,
        moe_intermediate_size=2048,
        first_k_dense_replace=3,
        num_nextn_predict_layers=1,
    ),
    "Kimi-K2": config(
        "kimi_k2",
        "DeepseekV3ForCausalLM",
        **sizes(7168, 18432, 61, 64, 64, 163840, n_routed_experts=384, n_shared_experts=1, num_experts_per_tok=8),
        **DEEPSEEK,
        moe_intermediate_size=2048,
        first_k_dense_replace=1,
    ),
    "GPT-2-XL": config(
        "gpt2", "GPT2LMHeadModel", n_embd=1600, n_layer=48, n_head=25, n_ctx=1024, n_positions=1024, vocab_size=50257
    ),
    "OPT-1.3B": config(
        "opt",
        "OPTForCausalLM",
        hidden_size=2048,
        ffn_dim=8192,
        num_hidden_layers=24,
        num_attention_heads=32,
        max_position_embeddings=2048,
        word_embed_proj_dim=2048,
        do_layer_norm_before=True,
        vocab_size=50272,
    ),
    "Pythia-6.9B": config(
        "gpt_neox",
        "GPTNeoXForCausalLM",
        hidden_size=4096,
        intermediate_size=16384,
        num_hidden_layers=32,
        num_attention_heads=32,
        vocab_size=50432,
        tie_word_embeddings=False,
        use_parallel_residual=True,
    ),
    "BLOOM-176B": config(
        "bloom",
        "BloomForCausalLM",
        n_embed=14336,
        n_layer=70,
        num_attention_heads=112,
        vocab_size=250880,
        seq_length=2048,
    ),
    "Falcon-7B": config(
        "falcon",
        "FalconForCausalLM",
        hidden_size=4544,
        num_hidden_layers=32,
        num_attention_heads=71,
        multi_query=True,
        new_decoder_architecture=False,
        parallel_attn=True,
        alibi=False,
        bias=False,
        vocab_size=65024,
    ),
    "MPT-13b (seq 2048)": config(
        "mpt",
        "MPTForCausalLM",
        d_model=5120,
        n_layers=40,
        n_heads=40,
        expansion_ratio=4,
        max_seq_len=2048,
        vocab_size=50368,
        learned_pos_emb=True,
        no_bias=False,
        attn_config={"alibi": False, "attn_impl": "flash"},
    ),
}


def refused(given):
    with pytest.raises(Invalid) as caught:
        described_model(given)
    return caught.value


@pytest.mark.parametrize("name", CONFIGS)
def test_a_config_of_the_hub_is_the_neutral_shape(name):
    read = read_config(CONFIGS[name]).architecture
    neutral = Architecture.from_neutral(ROWS[name]["config"])
    ignored = UNCOUNTED | ({"intermediate_size", "dense_layers"} if not neutral.intermediate_size else set())
    same = {key: value for key, value in neutral.as_dict().items() if key not in ignored}
    assert {key: value for key, value in read.as_dict().items() if key in same} == same
    assert parameters(read) == ROWS[name]["parameters"]


def test_every_family_of_the_table_is_tried():
    tried = {given["model_type"] for given in CONFIGS.values()} | {row["config"]["model_type"] for row in BUILT}
    assert set(FAMILIES) - tried == set()


# transformers 5.24.0: the same, for a config that leaves out every field.
@pytest.mark.parametrize(
    ("family", "count"),
    {
        "llama": 6_738_415_616,
        "mistral": 7_241_732_096,
        "mixtral": 46_702_792_704,
        "gemma": 8_537_680_896,
        "gemma2": 2_614_341_888,
        "gemma3_text": 2_628_658_432,
        "gemma3": 2_628_658_432,
        "qwen2": 12_049_846_272,
        "qwen2_moe": 14_315_784_192,
        "qwen3": 12_049_461_248,
        "qwen3_moe": 15_350_731_776,
        "phi3": 3_821_079_552,
        "olmo2": 6_888_624_128,
        "olmo3": 6_888_624_128,
        "gpt_oss": 116_829_156_672,
        "gpt2": 124_439_808,
        "gptj": 6_050_882_784,
        "gpt_neox": 20_554_567_680,
        "opt": 125_239_296,
        "falcon": 6_921_720_704,
        "mpt": 1_311_213_568,
        "granite": 6_738_415_616,
        "smollm3": 3_075_098_624,
        "glm4": 9_400_279_040,
        "phi": 1_418_270_720,
        "starcoder2": 3_030_371_328,
        "stablelm": 2_795_443_200,
        "cohere": 34_980_831_232,
    }.items(),
)
def test_a_left_out_field_has_its_familys_default(family, count):
    assert parameters(read_config({"model_type": family})[0]) == count


@pytest.mark.parametrize(
    ("given", "defaulted"),
    [
        ({"model_type": "gemma3", "text_config": {"hidden_size": 2560}}, {"text_config.num_hidden_layers": 26}),
        ({"model_type": "gemma"}, {"tie_word_embeddings": True}),
        ({"model_type": "gpt2", "n_embd": 768}, {"n_layer": 12}),
        ({"model_type": "qwen3_moe", "num_local_experts": 128}, {"num_experts_per_tok": 8}),
    ],
)
def test_a_familys_default_is_named_as_the_config_would(given, defaulted):
    said = read_config(given).defaulted
    assert said.items() >= defaulted.items()
    assert not {*given, *given.get("text_config", {}), "num_experts", "attention_bias"} & {*said}


def test_a_complete_config_takes_no_size_from_its_family():
    assert read_config(CONFIGS["Llama-2-70B"] | {"max_position_embeddings": 4096}).defaulted == {}


def test_a_family_without_defaults_asks_for_each_size():
    error = refused({"model_type": "kimi_k2"})
    assert (error.field, error.code) == ("vocab_size", "missing_field")


def test_what_does_not_change_the_shape_is_listed_as_ignored():
    assert read_config(CONFIGS["Llama-2-70B"])[1] == (
        "bos_token_id",
        "initializer_range",
        "torch_dtype",
        "use_cache",
        "pretraining_tp",
        "rope_scaling",
    )
    nested = read_config(CONFIGS["Gemma-3-4B text"], "model")[1]
    assert nested[-2:] == ("vision_config", "text_config.rope_scaling")
    assert read_config(CONFIGS["MPT-13b (seq 2048)"])[1][-1] == "attn_config.attn_impl"


@pytest.mark.parametrize(
    ("given", "sliding"),
    [
        ({"model_type": "mistral", "num_hidden_layers": 4}, [0, 1, 2, 3]),
        ({"model_type": "mistral", "num_hidden_layers": 4, "sliding_window": None}, []),
        ({"model_type": "gemma2", "num_hidden_layers": 4}, [0, 2]),
        ({"model_type": "gpt_oss", "num_hidden_layers": 4}, [0, 2]),
        ({"model_type": "olmo3", "num_hidden_layers": 4}, [0, 1, 2]),
        ({"model_type": "gemma3_text", "num_hidden_layers": 7}, [0, 1, 2, 3, 4, 6]),
        ({"model_type": "gemma3_text", "num_hidden_layers": 4, "sliding_window_pattern": 2}, [0, 2]),
        ({"model_type": "gemma2", "num_hidden_layers": 2, "layer_types": ["full_attention", "sliding_attention"]}, [1]),
        ({"model_type": "qwen2", "num_hidden_layers": 4, "max_window_layers": 2}, []),
        ({"model_type": "qwen2", "num_hidden_layers": 4, "max_window_layers": 2, "use_sliding_window": True}, [2, 3]),
    ],
)
def test_windows_lie_where_the_family_has_them(given, sliding):
    assert list(read_config(given)[0].sliding_layers) == sliding


@pytest.mark.parametrize(
    ("given", "field", "code"),
    [
        (None, "model", "wrong_type"),
        ({}, "model_type", "missing_field"),
        ({"params": 7e9}, "model_type", "missing_field"),
        ({"model_type": "lama"}, "model_type", "unknown_value"),
        ({"model_type": ["llama"]}, "model_type", "unknown_value"),
        ({"model_type": "llama", "hidden_size": "4096"}, "hidden_size", "wrong_type"),
        ({"model_type": "llama", "hidden_size": 4097}, "hidden_size", "not_divisible"),
        ({"model_type": "llama", "num_attention_heads": 0}, "num_attention_heads", "out_of_range"),
        ({"model_type": "llama", "num_key_value_heads": 5}, "num_attention_heads", "not_divisible"),
        ({"model_type": "llama", "vocab_size": float("inf")}, "vocab_size", "out_of_range"),
        ({"model_type": "llama", "mlp_bias": "false"}, "mlp_bias", "wrong_type"),
        ({"model_type": "llama", "is_encoder_decoder": True}, "is_encoder_decoder", "not_supported"),
        ({"model_type": "llama", "pruned_heads": {"0": [1]}}, "pruned_heads", "not_supported"),
        (
            {"model_type": "llama", "architectures": ["LlamaForSequenceClassification"]},
            "architectures",
            "not_supported",
        ),
        ({"model_type": "llama", "architectures": "LlamaForCausalLM"}, "architectures", "wrong_type"),
        ({"model_type": "gpt2", "n_head": 7}, "n_embd", "not_divisible"),
        ({"model_type": "gpt2", "n_embd": 768, "hidden_size": 1024}, "hidden_size", "contradiction"),
        ({"model_type": "gpt2", "n_positions": None}, "n_positions", "wrong_type"),
        ({"model_type": "gpt2", "add_cross_attention": True}, "add_cross_attention", "not_supported"),
        ({"model_type": "gptj", "tie_word_embeddings": True}, "tie_word_embeddings", "not_supported"),
        ({"model_type": "deepseek_v2"}, "num_experts_per_tok", "missing_field"),
        ({"model_type": "deepseek_v3", "moe_layer_freq": 2}, "moe_layer_freq", "not_supported"),
        ({"model_type": "deepseek_v3", "num_experts_per_tok": 300}, "num_experts_per_tok", "contradiction"),
        ({"model_type": "gemma2", "layer_types": ["linear_attention"] * 26}, "layer_types[0]", "unknown_value"),
        ({"model_type": "gemma2", "layer_types": ["full_attention"]}, "layer_types", "contradiction"),
        ({"model_type": "gemma3", "text_config": {"hidden_size": -1}}, "text_config.hidden_size", "out_of_range"),
        ({"model_type": "gemma3", "text_config": 3}, "text_config", "wrong_type"),
        ({"model_type": "mpt", "attn_config": {"attn_type": "linear"}}, "attn_config.attn_type", "unknown_value"),
        ({"model_type": "mpt", "attn_config": {"qk_ln": True}}, "attn_config.qk_ln", "not_supported"),
        ({"model_type": "mpt", "norm_type": "rmsnorm"}, "norm_type", "unknown_value"),
        (
            {"model_type": "opt", "layer_norm_elementwise_affine": False},
            "layer_norm_elementwise_affine",
            "not_supported",
        ),
        ({"architecture": {}, "extra": 1}, "extra", "unknown_field"),
        ({"model_type": "llama", "hidden_size": 10**9, "vocab_size": 10**9}, "model", "out_of_range"),
    ],
)
def test_a_wrong_config_names_the_field(given, field, code):
    error = refused(given)
    assert (error.field, error.code) == (field, code)
    assert error.message


def test_an_error_names_the_fields_as_the_config_does():
    assert refused({"model_type": "gpt2", "n_head": 7}).message == "n_head = 7 does not divide n_embd = 768"


def test_a_plan_gets_the_path_of_its_model():
    with pytest.raises(Invalid) as caught:
        described_model({"model_type": "llama", "vocab_size": 0}, "model")
    assert caught.value.field == "model.vocab_size"


JUNK = (
    *(None, True, False, 0, 1, -1, 2, 3, 7, 1.5, 64, 65, 10**6, 10**9, 10**30, 10**5000, 1e308, -0.0),
    *(float("nan"), float("inf"), float("-inf"), "", "8", "null", "\ud800\n", "x" * 5000),
    *([], [1], [None], {}, {"a": {"b": [1]}}, [[[[]]]], ["sliding_attention"] * 3, [10**9], {"alibi": 0}),
)


def mangled(rng):
    """A real config or shape with a few fields removed, swapped or filled with junk."""
    base = rng.choice([*(CONFIGS.values()), *(model.config for model in MODELS.values())])
    wrapped = "architecture" in base
    given = dict(base["architecture"] if wrapped else base)
    for name in ("text_config", "attn_config"):
        if isinstance(given.get(name), dict) and rng.random() < 0.5:
            inner = dict(given[name])
            inner[rng.choice([*inner, "x"])] = rng.choice(JUNK)
            given[name] = inner
    for _ in range(rng.choice((1, 1, 2, 5))):
        name = rng.choice([*given, "layer_types", "bias", "sliding_window", "num_experts", "\ud800", "model_type"])
        change = rng.random()
        if change < 0.15:
            given.pop(name, None)
        elif change < 0.3:
            given[name] = given[rng.choice([*given])] if given else None
        else:
            given[name] = rng.choice(JUNK)
    return {"architecture": given} if wrapped else given


def test_thousands_of_malformed_configs_are_answered_or_refused_and_never_break():
    rng = random.Random(20240907)
    answered = refused_count = 0
    for _ in range(6000):
        given = mangled(rng)
        try:
            model = described_model(given)
        except Invalid as error:
            refused_count += 1
            assert error.message
            assert "\n" not in str(error)
            json.dumps(error.as_dict(), allow_nan=False, ensure_ascii=False).encode()
            continue
        answered += 1
        report = parameter_report(model.architecture, model.ignored)
        json.dumps(report, allow_nan=False, ensure_ascii=False).encode()
        assert 0 < report["total"] <= MOST_PARAMETERS
        assert report["total"] == sum(report["components"].values())
        assert 0 < report["active_without_embedding"] <= report["active"] <= report["total"]
    assert answered > 500
    assert refused_count > 2000
