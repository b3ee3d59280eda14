"""Runs whose memory others measured, as plans, and what the model says of each.

One set of constants serves all rows of an implementation. ``python -m tests.model.evidence`` prints how far off they are.
"""

import json
from functools import lru_cache
from pathlib import Path

from model.instants import rank_memory
from model.overhead import reserved_peak
from model.plan import read_plan
from model.report import shown_bytes

from .evidence.score import Scored

DATA = Path(__file__).parent / "data"
GIB = 2**30
CARDS = {"a100": "a100-sxm-80gb", "h100": "h100-sxm-80gb", "b200": "b200-sxm-180gb", "gb200": "gb200-186gb"}


def load(name):
    return json.loads((DATA / f"{name}.json").read_text("utf-8"))


def complete(row):
    """Whether a plan can say everything that matters in a row of Megatron-LM."""
    return row["quality"] == "A" and not row["model"]["mtp_layers"]


def megatron_plan(row):
    """A row of Megatron-LM. Multi-token prediction is not a field of a plan."""
    model, layout = row["model"], row["layout"]
    shape = {
        "vocab_size": model["vocab"],
        "hidden_size": model["hidden"],
        "num_hidden_layers": model["layers"],
        "num_attention_heads": model["heads"],
        "intermediate_size": model["ffn"],
        "gated": model["gated"],
        "tie_word_embeddings": model["tied"],
        "norm": "rms" if model["norm"] == "rmsnorm" else "layernorm",
        **dict.fromkeys(("mlp_bias", "attn_qkv_bias", "attn_o_bias"), model["bias"]),
    }
    if model["positions"] == "learned":
        shape["pos_embed_rows"] = model["max_positions"]
    if model["mla"]:
        latent = model["mla"]
        shape |= {
            "mla": True,
            "q_lora_rank": latent["q_lora"],
            "kv_lora_rank": latent["kv_lora"],
            "qk_nope_head_dim": latent["qk_head_dim"],
            "qk_rope_head_dim": latent["qk_rope_dim"],
            "v_head_dim": latent["v_head_dim"],
        }
    else:
        shape |= {"num_key_value_heads": model["kv_heads"], "head_dim": model["head_dim"]}
    if model["moe"]:
        experts = model["moe"]
        shape |= {
            "num_experts": experts["experts"],
            "num_experts_per_tok": experts["topk"],
            "moe_intermediate_size": experts["ffn"],
            "shared_intermediate_size": experts["shared_ffn"] or 0,
            "dense_layers": [place for place, moe in enumerate(experts["layer_pattern"][: model["layers"]]) if not moe],
        }
    names = ("tp", "pp", "vpp", "cp", "ep", "etp", "zero", "sequence_parallel")
    return {
        "model": {"architecture": shape},
        "cluster": {
            "gpu": CARDS[row["gpu"].split("-")[0].split()[0].lower()],
            "gpus": layout.get("gpus") or layout["gpus_inferred"],
        },
        "layout": {name: layout[name] for name in names},
        "recipe": {"preset": "megatron", "gradient_fusion": row["activation"]["gradient_accumulation_fusion"]},
        "batch": row["batch"],
        "activation": {
            "implementation": "megatron-te",
            "dropout": model["hidden_dropout"],
            "loss": "fused" if row["activation"]["loss_fusion"] else "eager",
            "attention": "eager" if row["activation"]["backend"] == "unfused" else "flash",
        },
        "schedule": {"kind": "interleaved" if layout["vpp"] > 1 else "1f1b"},
    }


@lru_cache
def megatron(resting=False):
    """Peaks of each stage that a row gives, or what rests after a step."""
    scored = []
    for row in load("measured_memory")["rows"]:
        plan, measured = read_plan(megatron_plan(row)), row["measured"]
        last = plan.layout.pp - 1
        stages = measured.get("by_stage_max_alloc_bytes", {})
        values = (
            {0: stages["first"], last: stages["last"]} if "first" in stages else {last: measured["max_alloc_bytes"]}
        )
        if resting:
            values = {last: measured["alloc_bytes"]} if "alloc_bytes" in measured else {}
        for rank, value in values.items():
            memory = rank_memory(plan, rank)
            predicted = memory.resting if resting else memory.peak.allocated
            scored.append(
                Scored(
                    name=f"{row['id']} stage {rank}",
                    measured=value,
                    predicted=predicted,
                    floor=memory.states.total_bytes,
                    row=row,
                )
            )
    return tuple(scored)


@lru_cache
def megatron_small(resting=False):
    """Megatron-LM's functional tests on H100 and A100: models of a few hundred MB, found after the model was made.

    Left out: a loss fused by Megatron itself, deferred or replicated optimizers, its own FSDP, layers without
    Transformer Engine, experts that run one after the other, and on A100 runs that leave PyTorch's workspaces at their
    smaller default, none of which a plan can say.
    """
    scored = []
    for row in load("megatron_small_memory")["rows"]:
        plan = read_plan(row["plan"])
        memory = rank_memory(plan, plan.layout.pp - 1)
        states = memory.states.total_bytes
        measured, predicted = row["max_alloc_bytes"], memory.peak.allocated
        if resting:
            measured, predicted = row["alloc_bytes"], memory.resting
        scored.append(Scored(name=row["name"], measured=measured, predicted=predicted, floor=states, row=row))
    return tuple(scored)


def nanotron_plan(settings, row, zero):
    shape = settings["models"][str(row["model_b"])]
    accumulated = row.get("grad_acc") or max(1, 256 // (row["dp"] * row["mbs"]))
    return {
        "model": {
            "architecture": {
                "vocab_size": settings["vocab"] if isinstance(settings["vocab"], int) else 131072,
                "hidden_size": shape["hidden"],
                "num_hidden_layers": shape["layers"],
                "num_attention_heads": shape["heads"],
                "intermediate_size": shape["ffn"],
                "tie_word_embeddings": shape["tied"],
            }
        },
        "cluster": {"gpu": "h100-sxm-80gb", "gpus": row["dp"] * row["pp"] * row["tp"]},
        "layout": {"tp": row["tp"], "pp": row["pp"], "zero": zero, "sequence_parallel": True},
        "recipe": {"preset": "nanotron"},
        "batch": {"seq": 4096, "micro_batch": row["mbs"], "global_batch": row["dp"] * row["mbs"] * accumulated},
        "activation": {"implementation": "nanotron"},
    }


def fullest_reserved(plan):
    """Reserved bytes of the fullest stage, and the states of the first. Middle stages hold less than the ends."""
    memories = {rank: rank_memory(plan, rank) for rank in (0, plan.layout.pp - 1)}
    return max(reserved_peak(plan, memory) for memory in memories.values()), memories[0].states.total_bytes


def first_reserved(plan):
    """Reserved bytes of the first stage, and its states: nanotron's benchmark prints what rank 0 holds.

    Source: nanotron, helpers.py, log_throughput.
    """
    memory = rank_memory(plan, 0)
    return reserved_peak(plan, memory), memory.states.total_bytes


@lru_cache
def nanotron():
    data = load("ultrascale_memory")
    scored = []
    for values in data["rows"]:
        row = dict(zip(data["columns"], values, strict=True))
        predicted, floor = first_reserved(read_plan(nanotron_plan(data["settings"], row, row["zero"])))
        name = "{model_b}B dp{dp} pp{pp} tp{tp} zero{zero} mbs{mbs}".format(**row)
        measured = int(row["mem_GB"] * GIB)
        scored.append(Scored(name=name, measured=measured, predicted=predicted, floor=floor, row=row))
    return tuple(scored)


@lru_cache
def nanotron_savings(least=5 * GIB):
    """What ZeRO-1 saved in the pairs of runs that differ in nothing else, where the model predicts at least 5 GiB."""
    data = load("ultrascale_memory")
    scored = []
    for values in data["pairs"]:
        row = dict(zip(data["pair_columns"], values, strict=True))
        without, sharded = (first_reserved(read_plan(nanotron_plan(data["settings"], row, zero)))[0] for zero in (0, 1))
        measured = int((row["zero0_GB"] - row["zero1_GB"]) * GIB)
        if without - sharded > least:
            name = "{model_b}B dp{dp} pp{pp} tp{tp} mbs{mbs}".format(**row)
            scored.append(Scored(name=name, measured=measured, predicted=without - sharded, floor=0, row=row))
    return tuple(scored)


def bigscience_plan(row):
    """A row of Megatron-DeepSpeed: every layer recomputed, ZeRO-1, fp16 or, with fp32 gradients, bf16."""
    ends = [1, *[0] * (row["pp"] - 2), 1] if row["fp32_gradients"] else [0] * row["pp"]
    each = (row["layers"] + sum(ends)) // row["pp"]
    return {
        "model": {
            "architecture": {
                "vocab_size": 250880,
                "hidden_size": row["hidden"],
                "num_hidden_layers": row["layers"],
                "num_attention_heads": row["heads"],
                "intermediate_size": 4 * row["hidden"],
                "gated": False,
                "norm": "layernorm",
                "tie_word_embeddings": True,
                "pos_embed_rows": 2048,
                **dict.fromkeys(("mlp_bias", "attn_qkv_bias", "attn_o_bias"), True),
            }
        },
        "cluster": {"gpu": "a100-sxm-80gb", "gpus": row["dp"] * row["tp"] * row["pp"]},
        "layout": {
            "tp": row["tp"],
            "pp": row["pp"],
            "zero": 1,
            "vocab_multiple": 128,
            "stage_layers": [each - end for end in ends],
        },
        "recipe": {"preset": "deepspeed", "compute": "fp16", "gradient_bytes": 6 if row["fp32_gradients"] else 2},
        "batch": {"seq": 2048, "micro_batch": row["mbs"], "global_batch": row["gbs"]},
        "activation": {"implementation": "megatron", "recompute": "full", "attention": "eager"},
    }


@lru_cache
def bigscience():
    """What nvidia-smi showed. Low: the pipeline's own buffers of DeepSpeed are not modelled."""
    data = load("bigscience_memory")
    scored = []
    for values in data["rows"]:
        row = dict(zip(data["columns"], values, strict=True))
        plan = read_plan(bigscience_plan(row))
        memories = [rank_memory(plan, rank) for rank in {0, plan.layout.pp - 1}]
        name = "h{hidden} L{layers} a{heads} dp{dp} tp{tp} pp{pp} mbs{mbs}".format(**row)
        predicted = max(shown_bytes(plan, memory) for memory in memories)
        floor = max(memory.states.total_bytes for memory in memories)
        scored.append(Scored(name=name, measured=int(row["mem_GB"] * GIB), predicted=predicted, floor=floor, row=row))
    return tuple(scored)


def torchtitan_plan(row):
    """A row of torchtitan, which cuts the local batch into pp micro-batches in a pipeline.

    At the commit of the older table (e7c0cae) the loss was compiled; at that of December 2024 it was not.
    """
    recompute = {"full": "full"}.get(row["activation_checkpointing"], "op-selective")
    return {
        "model": row["model"].lower(),
        "cluster": {"gpu": "h100-sxm-96gb", "gpus": row["gpus"]},
        "layout": {
            "tp": row["tp"],
            "pp": row["pp"],
            "cp": row["cp"],
            "sequence_parallel": row["tp"] > 1,
            "zero": 3,
        },
        "recipe": {"preset": "fsdp2", "step": "fused", "compute": "fp8" if row["float8"] else "bf16"},
        "batch": {
            "seq": row["seq"],
            "micro_batch": row["local_batch"] // row["pp"],
            "global_batch": row["global_batch"],
        },
        "activation": {
            "implementation": "torch",
            "recompute": recompute,
            "compile": row["torch_compile"],
            "loss": "fused" if "e7c0cae" in row["activation_checkpointing"] else "eager",
        },
    }


@lru_cache
def torchtitan():
    scored = []
    for row in load("torchtitan_memory")["rows"]:
        plan = read_plan(torchtitan_plan(row))
        predicted, floor = fullest_reserved(plan)
        name = "{model} fsdp{fsdp} tp{tp} pp{pp} cp{cp} s{seq}".format(**row)
        measured = int(row["mem_GiB"] * GIB)
        scored.append(Scored(name=name, measured=measured, predicted=predicted, floor=floor, row=row))
    return tuple(scored)
