"""Random plans that are legal, for the properties that must hold for every one of them."""

import copy
import itertools
import random

from model.errors import Invalid
from model.schedules import KINDS, Shape

PRESETS = {
    "zero-paper": (0, 1, 2, 3),
    "ddp-amp": (0, 1),
    "fsdp2": (2, 3),
    "megatron": (0, 1),
    "deepspeed": (0, 1, 2, 3),
    "nanotron": (0, 1),
    "pure-bf16": (0, 1, 2, 3),
}
IMPLEMENTATIONS = ("torch", "torch-eager", "megatron", "megatron-te", "nanotron", "hf-eager")


def architecture(draw):
    """A small model of any kind: dense or with experts, plain, grouped or latent attention, tied or not."""
    heads = draw.choice((8, 16, 32))
    shape = {
        "vocab_size": draw.choice((1000, 32000, 50257)),
        "hidden_size": heads * draw.choice((16, 64, 128)),
        "num_hidden_layers": draw.choice((8, 12, 16)),
        "num_attention_heads": heads,
        "intermediate_size": draw.choice((512, 1111, 4096)),
        "gated": draw.random() < 0.5,
        "norm": draw.choice(("rms", "layernorm")),
        "mlp_bias": draw.random() < 0.3,
        "attn_qkv_bias": draw.random() < 0.3,
        "tie_word_embeddings": draw.random() < 0.4,
        "pos_embed_rows": draw.choice((0, 2048)),
    }
    if draw.random() < 0.3:
        shape |= {
            "mla": True,
            "q_lora_rank": draw.choice((None, 96)),
            "kv_lora_rank": 64,
            "qk_nope_head_dim": 32,
            "qk_rope_head_dim": 16,
            "v_head_dim": 32,
        }
    else:
        shape["num_key_value_heads"] = draw.choice((heads, heads // 2, 8))
    if draw.random() < 0.4:
        shape |= {
            "num_experts": 8,
            "num_experts_per_tok": draw.choice((1, 2, 4)),
            "moe_intermediate_size": draw.choice((256, 768)),
            "shared_intermediate_size": draw.choice((0, 512)),
            "dense_layers": [0] if draw.random() < 0.5 else [],
        }
    return shape


def uncommon(draw, shape, replicas, tp, ep, stages):
    """Fields of a layout that most plans leave out: experts cut in themselves, hybrid sharding, uneven stages."""
    fields = {}
    if "num_experts" in shape:
        fields["etp"] = draw.choice([size for size in (1, 1, 2, 4) if replicas * tp % (ep * size) == 0])
    cut = ep * fields.get("etp", 1)
    groups = [size for size in (1, 2, 4, 8, 16) if replicas % size == 0 and size * tp % cut == 0]
    if groups and draw.random() < 0.3:
        fields["shard_group"] = draw.choice(groups)
    if draw.random() < 0.25:
        cuts = sorted(draw.randint(0, shape["num_hidden_layers"]) for _ in range(stages - 1))
        edges = [0, *cuts, shape["num_hidden_layers"]]
        fields["stage_layers"] = [end - start for start, end in itertools.pairwise(edges)]
    return fields


def legal_plan(seed):
    """A legal plan; the same for the same seed."""
    draw = random.Random(seed)
    shape = architecture(draw)
    preset = draw.choice(list(PRESETS))
    tp, pp, cp, dp = (
        draw.choice((1, 2, 4, 8)),
        draw.choice((1, 2, 4)),
        draw.choice((1, 1, 2)),
        draw.choice((1, 2, 4, 8)),
    )
    kind = draw.choice(list(KINDS)) if pp > 1 else "1f1b"
    virtual = KINDS[kind].virtual or (2 if shape["num_hidden_layers"] % (2 * pp) == 0 else 1)
    micro_batches = draw.choice((1, 3, 8, 16))
    try:
        Shape.checked(kind, pp, micro_batches, virtual)
    except Invalid as error:
        micro_batches = error.values["nearest"][-1]
    micro = draw.choice((1, 2, 4))
    experts = "num_experts" in shape
    ep = draw.choice([size for size in (1, 2, 4, 8) if dp * cp * tp % size == 0]) if experts else 1
    recompute = draw.choice(("none", "none", "selective", "op-selective", "full"))
    given = {
        "model": {"architecture": shape},
        "cluster": {"gpu": draw.choice(("card-80gb", "h100-sxm-80gb", "a10g-24gb")), "gpus": tp * pp * cp * dp},
        "layout": {
            "tp": tp,
            "pp": pp,
            "cp": cp,
            "vpp": virtual,
            "zero": draw.choice(PRESETS[preset]),
            "sequence_parallel": draw.random() < 0.5,
            "vocab_multiple": draw.choice((1, 128)),
            "ep": ep,
            **uncommon(draw, shape, dp * cp, tp, ep, pp * virtual),
        },
        "recipe": {
            "preset": preset,
            "optimizer": draw.choice(("adamw", "adamw", "sgd", "lion", "muon", "adafactor", "adam-8bit")),
            "step": draw.choice(("foreach", "fused")),
            "trainable": draw.choice((1.0, 1.0, 0.25, 0)),
            "offload": draw.choice(("none", "none", "optimizer", "optimizer+weights")),
            "compute": draw.choice(("bf16", "fp16", "fp32", "fp8")),
            "bucket_view": draw.random() < 0.5,
            "gradient_fusion": draw.choice([None, True, False]),
            "overlap": draw.random() < 0.5,
            "wrap": draw.choice(("layer", "layer+root-apart", "whole")),
            "bucket": draw.choice((None, None, 10**6, 10**9)),
            "reduce_bytes": draw.choice((None, None, 2, 4)),
            "gradient_bytes": draw.choice((None, None, None, 4)),
            "master_bytes": draw.choice((None, None, None, 0)),
        },
        "batch": {
            "seq": draw.choice((256, 1000, 4096)),
            "micro_batch": micro,
            "global_batch": dp * micro * micro_batches,
        },
        "activation": {
            "recompute": recompute,
            "recompute_layers": draw.choice((None, 0, 2)) if recompute == "full" else None,
            "attention": draw.choice(("flash", "eager")),
            "implementation": draw.choice(IMPLEMENTATIONS),
            "compile": draw.random() < 0.3,
            "dropout": draw.choice((0.0, 0.1)),
            "loss": draw.choice(("eager", "fused", "chunked")),
            "expert_balance": draw.choice((1.0, 1.25)),
        },
        "schedule": {"kind": kind},
    }
    return given | {"recipe": given["recipe"] | {"offload": offered(given)}}


def offered(given):
    """The plan's offload, without weights where its framework does not shard them."""
    wished = given["recipe"]["offload"]
    return "optimizer" if wished == "optimizer+weights" and given["layout"]["zero"] not in stages(given) else wished


def stages(given):
    """The ZeRO stages that a plan's preset runs with the plan's offload."""
    preset, weights = given["recipe"]["preset"], given["recipe"]["offload"] == "optimizer+weights"
    return tuple(zero for zero in PRESETS[preset] if not weights or zero == 3 or preset == "fsdp2")


def with_layout(given, **fields):
    """A plan with other fields of its layout, and as many replicas as before."""
    changed = copy.deepcopy(given)
    changed["layout"] |= fields
    layout = changed["layout"]
    # The same dp: the cluster grows with what is split.
    old = given["layout"]
    scale = 1
    for name in ("tp", "pp", "cp"):
        scale *= layout[name]
        changed["cluster"]["gpus"] = changed["cluster"]["gpus"] // old[name] * layout[name]
    return changed
