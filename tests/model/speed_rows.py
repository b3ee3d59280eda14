"""Published measured runs as plans, and what is needed to compare with them."""

import json
import statistics
from pathlib import Path

DATA = Path(__file__).parent / "data"
H100_TFLOPS, A100_TFLOPS = 989, 312
MEGATRON = json.loads((DATA / "megatron.json").read_text("utf-8"))
LLAMA3 = json.loads((DATA / "llama3_table4.json").read_text("utf-8"))
ULTRASCALE = json.loads((DATA / "ultrascale.json").read_text("utf-8"))
ULTRASCALE_ROWS = [dict(zip(ULTRASCALE["columns"], row, strict=True)) for row in ULTRASCALE["rows"]]


def gpt(row):
    """Megatron-LM's GPT: no gate, biases, learned positions, tied head."""
    return {
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
    }


def megatron_2021(row):
    """Table 1 of 2021: unfused attention, full recomputation, the published micro-batch; gradients were reduced
    after the backward, not behind it."""
    return {
        "model": {"architecture": gpt(row)},
        "cluster": {"gpu": "a100-sxm-80gb", "gpus": row["gpus"], "intra": "nvlink3", "inter": "ib-200"},
        "layout": {"tp": row["tp"], "pp": row["pp"], "vpp": row["virtual_stages"], "zero": 0},
        "recipe": {"preset": "megatron", "step": "fused", "overlap": False},
        "batch": {"seq": row["seq"], "micro_batch": row["microbatch"], "global_batch": row["global_batch"]},
        "activation": {"implementation": "megatron", "attention": "eager", "recompute": "full"},
    }


def megatron_core(row, micro_batch=1):
    """The H100 table prints neither micro-batch nor virtual stages.

    Micro-batches of 1, as the large runs of 2021 had, and one layer in each virtual stage, without which the bubble
    alone would exceed what the rows lose. Everything was overlapped, as the README says that prints the table.
    """
    pp = row["pp"]
    return {
        "model": {"architecture": gpt(row)},
        "cluster": {"gpu": "h100-sxm-80gb", "gpus": row["gpus"], "intra": "nvlink4", "inter": "ib-400"},
        "layout": {
            "tp": row["tp"],
            "pp": pp,
            "vpp": row["layers"] // pp if pp > 1 else 1,
            "zero": 1,
            "sequence_parallel": row["tp"] > 1,
        },
        "recipe": {"preset": "megatron", "step": "fused"},
        "batch": {"seq": row["seq"], "micro_batch": micro_batch, "global_batch": row["global_batch"]},
        "activation": {"implementation": "megatron-te"},
    }


def llama3(row):
    """Table 4: the first and the last stage have a layer less; virtual stages of two layers, attention causal."""
    return {
        "model": "llama-3.1-405b",
        "cluster": {"gpu": "h100-sxm-80gb", "gpus": row["gpus"], "intra": "nvlink4", "inter": "ib-400"},
        "layout": {
            "tp": row["tp"],
            "cp": row["cp"],
            "pp": row["pp"],
            "vpp": 4,
            "zero": 2,
            "sequence_parallel": True,
            "stage_layers": [1, *[2] * 62, 1],
        },
        "recipe": {"preset": "fsdp2"},
        "batch": {"seq": row["seq"], "global_batch": row["batch_per_dp"] * row["dp"]},
        "activation": {"implementation": "megatron-te"},
        "flops": {"attention": "causal"},
    }


def ultrascale(row):
    """nanotron as the Playbook ran it."""
    shape = ULTRASCALE["models"][str(row["model_b"])]
    return {
        "model": {
            "architecture": {
                "vocab_size": 131_072,
                "hidden_size": shape["hidden"],
                "num_hidden_layers": shape["layers"],
                "num_attention_heads": shape["heads"],
                "intermediate_size": shape["ffn"],
                "tie_word_embeddings": shape["tied"],
                "gated": True,
                "norm": "rms",
            }
        },
        "cluster": {"gpu": "h100-sxm-80gb", "gpus": row["gpus"], "intra": "nvlink4", "inter": "ib-400"},
        "layout": {"tp": row["tp"], "pp": row["pp"], "zero": row["zero"], "sequence_parallel": row["tp"] > 1},
        "recipe": {"preset": "nanotron", "step": "fused"},
        "batch": {
            "seq": 4096,
            "micro_batch": row["mbs"],
            "global_batch": row["dp"] * row["mbs"] * row["grad_acc"],
        },
        "activation": {"implementation": "nanotron"},
    }


def spearman(one, other):
    """Rank correlation; equal values share the mean of their ranks."""
    return statistics.correlation(_ranks(one), _ranks(other))


def _ranks(values):
    order = sorted(values)
    first = {value: order.index(value) for value in set(values)}
    return [first[value] + (order.count(value) - 1) / 2 for value in values]


MEASURED = json.loads((DATA / "measured_speed.json").read_text("utf-8"))


def measured(source):
    """The rows of one source, each as an object."""
    table = MEASURED[source]
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def torchtitan(row):
    """FSDP2 with tensor and context parallelism; A100 rows do not say whether they compile, so they do not."""
    ampere = row["gpu"].startswith("a100")
    return {
        "model": row["model"],
        "cluster": {
            "gpu": row["gpu"],
            "gpus": row["gpus"],
            "intra": "nvlink3" if ampere else "nvlink4",
            "inter": "ib-200" if ampere else "ib-400",
        },
        "layout": {"tp": row["tp"], "cp": row["cp"], "zero": 3, "sequence_parallel": row["tp"] > 1},
        "recipe": {"preset": "fsdp2", "step": "fused", "compute": "fp8" if row["float8"] else "bf16"},
        "batch": {"seq": row["seq"], "micro_batch": row["local_batch"], "global_batch": row["global_batch"]},
        "activation": {"implementation": "torch", "recompute": row["recompute"], "compile": row["compile"]},
    }


def llm_foundry(row):
    """MPT models under FSDP."""
    ampere = row["gpu"].startswith("a100")
    return {
        "model": {
            "architecture": {
                "vocab_size": row["vocab"],
                "hidden_size": row["hidden"],
                "num_hidden_layers": row["layers"],
                "num_attention_heads": row["heads"],
                "intermediate_size": row["ffn"],
                "gated": False,
                "norm": "layernorm",
                "tie_word_embeddings": True,
            }
        },
        "cluster": {
            "gpu": row["gpu"],
            "gpus": row["gpus"],
            "intra": "nvlink3" if ampere else "nvlink4",
            "inter": "ib-200" if ampere else "ib-400",
        },
        "layout": {"zero": 3},
        "recipe": {"preset": "fsdp2"},
        "batch": {"seq": row["seq"], "micro_batch": row["micro_batch"], "global_batch": row["global_batch"]},
        "activation": {"implementation": "torch", "recompute": "full" if row["recompute"] else "none"},
    }


def simumax(row):
    """Llama 3 with fewer layers, on Megatron-LM with Transformer Engine; nothing was overlapped, the loss was fused."""
    return {
        "model": {
            "architecture": {
                "vocab_size": row["vocab"],
                "hidden_size": row["hidden"],
                "num_hidden_layers": row["layers"],
                "num_attention_heads": row["heads"],
                "num_key_value_heads": row["kv_heads"],
                "intermediate_size": row["ffn"],
                "gated": True,
                "norm": "rms",
            }
        },
        "cluster": {"gpu": "b200-sxm-180gb", "gpus": row["gpus"], "intra": "nvlink5"},
        "layout": {
            "tp": row["tp"],
            "pp": row["pp"],
            "cp": row["cp"],
            "zero": 1,
            "sequence_parallel": row["sequence_parallel"],
        },
        "recipe": {"preset": "megatron", "step": "fused", "overlap": False},
        "batch": {"seq": row["seq"], "micro_batch": row["micro_batch"], "global_batch": row["global_batch"]},
        "activation": {"implementation": "megatron-te", "loss": "fused"},
    }


def megatron_bridge(row):
    """NVIDIA's own runs of Llama 3, Qwen 3, DeepSeek V3 and gpt-oss, everything overlapped, the loss fused."""
    return {
        "model": row["model"],
        "cluster": {
            "gpu": row["gpu"],
            "gpus": row["gpus"],
            "gpus_per_node": min(row["gpus_per_node"], row["gpus"]),
            "intra": "nvlink4" if row["gpu"].startswith("h") else "nvlink5",
            "inter": "ib-400",
        },
        "layout": {
            "tp": row["tp"],
            "pp": row["pp"],
            "cp": row["cp"],
            "ep": row["ep"],
            "vpp": row["vpp"],
            "zero": 1,
            "sequence_parallel": row["tp"] > 1,
        },
        "recipe": {"preset": "megatron", "step": "fused", "compute": "fp8" if row["float8"] else "bf16"},
        "batch": {"seq": row["seq"], "micro_batch": row["micro_batch"], "global_batch": row["global_batch"]},
        "activation": {"implementation": "megatron-te", "loss": "fused"},
        "flops": {"attention": "causal"},
    }
