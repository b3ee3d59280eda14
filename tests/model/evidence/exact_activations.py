"""Exact figures: what layers keep, in Korthikanti et al. and in PyTorch's autograd, and what the paper makes of it."""

from model.flops import flops_per_token
from model.in_flight import live_sets
from model.instants import rank_memory
from model.layer_kept import layer_kept
from model.layout import Layout
from model.memory import states
from model.models import described_model
from model.plan import read_plan
from model.recipe import named
from model.schedules import Shape

from ..measured_runs import load
from ..speed_rows import A100_TFLOPS, gpt
from ..torch_models import MEASURED, TINY, plan
from ..torch_models import gpt as torch_gpt
from .links import KORTHIKANTI, PYTORCH
from .score import Match, exact

GIB = 2**30
POLICIES = {  # tensor parallelism, sequence parallelism, recomputation
    "none": (False, False, "none"),
    "tp": (True, False, "none"),
    "tp_sp": (True, True, "none"),
    "tp_sel": (True, False, "selective"),
    "tp_sp_sel": (True, True, "selective"),
    "full": (True, False, "full"),
    "full_sp_sharded": (True, True, "full"),
}
SPLIT = {"1F1B": "1f1b", "GPipe": "gpipe", "Interleaved1F1B": "interleaved", "ZBVZeroBubble": "zb-v"}
NAMES = {"GPT-3": "175B", "MT-NLG": "530B"}  # in section 5 and in Table 3
FLOPS_WITHIN = 1e-14  # of the figure: a float's last digit
MFU_WITHIN = 0.2  # points: what the table's seconds, printed to two digits, leave open
PAPER = ((KORTHIKANTI,), "korthikanti_2022")


def paper_plan(row, policy):
    """A model of Korthikanti's Table 3, with its implementation of 2022."""
    cut, sequence, recompute = POLICIES[policy]
    model = torch_gpt(row["vocab"], row["hidden"], row["layers"], row["heads"], 0)
    layout = {"tp": row["tp"] if cut else 1, "pp": row["pp"], "vpp": row["interleave_m"]}
    return read_plan(
        plan(
            model,
            layout["tp"] * row["pp"],
            preset="megatron",
            layout={**layout, "sequence_parallel": sequence},
            batch={
                "seq": row["seq"],
                "micro_batch": row["microbatch"],
                "global_batch": 8 * row["pp"] * row["microbatch"],
            },
            activation={"implementation": "megatron", "attention": "eager", "dropout": 0.1, "recompute": recompute},
        )
    )


def kept_by_layer():
    """Bytes that a layer keeps, for four models and seven policies."""
    for row in load("korthikanti_2022")["table3_configs"]:
        for policy in POLICIES:
            kept = layer_kept(paper_plan(row, policy), moe=False, recomputed=True)
            published = row["activation_bytes_per_layer"][policy]
            yield Match.equal(f"{row['model']} {policy}", published, kept.amount_bytes)


def kept_by_first_stage():
    """GiB that the first stage keeps in flight, for the same."""
    for row in load("korthikanti_2022")["table3_configs"]:
        for policy in POLICIES:
            given = paper_plan(row, policy)
            each = layer_kept(given, moe=False, recomputed=True).amount_bytes
            shape = Shape(
                kind=given.kind, stages=row["pp"], micro_batches=given.micro_batches, virtual=row["interleave_m"]
            )
            layers = [len(chunk.layers) for chunk in given.ranks[0]]
            most = max(
                sum(count * many for count, many in zip(live.counts, layers, strict=True))
                for live in live_sets(shape, 0)
            )
            published = row["first_stage_activation_GiB"][policy]
            yield Match.near(f"{row['model']} {policy}", published, most * each / GIB, 0.0001)


def first_figure():
    """GiB of states and activations in Figure 1: 18 bytes a parameter, embeddings left out."""
    paper = load("korthikanti_2022")
    sizes = {row["model"]: row for row in paper["table3_configs"]}
    for row in paper["figure1_memory"]:
        size = sizes[row["model"]]
        layout = Layout(dp=1, tp=size["tp"], pp=size["pp"], cp=1, vpp=1, zero=0, stage_layers=None)
        first = states(12 * size["layers"] * size["hidden"] ** 2, named("megatron"), layout)[0]
        yield Match.equal(f"{row['model']}, states", row["param_opt_GiB"], first.total_bytes / GIB)


def _flops(size):
    """FLOPs of a step of a model of Table 3: the model's, and what selective recomputation adds."""
    flops = flops_per_token(described_model({"architecture": gpt(size)}).architecture, size["seq"])
    tokens = size["global_batch"] * size["seq"]
    return flops, tokens * flops.model(), tokens * flops.recomputed("selective")


def utilisation():
    """FLOPs of a step, and MFU and HFU of Table 5 from its seconds; what selective recomputation costs, in section 5."""
    paper = load("korthikanti_2022")
    sizes = {row["model"]: row for row in paper["table3_configs"]}
    for row in paper["table5_end_to_end"]:
        size = sizes[row["model"]]
        _, model, again = _flops(size)
        available = row["iter_s_present"] * size["gpus"] * A100_TFLOPS * 1e12
        for kind, printed, share, done in (
            ("model", row["model_flops_per_iter"], row["mfu_pct"], model),
            ("hardware", row["hardware_flops_per_iter"], row["hfu_pct"], model + again),
        ):
            yield Match.near(f"{row['model']}, {kind} FLOPs", printed, float(done), printed * FLOPS_WITHIN)
            yield Match.near(
                f"{row['model']}, {kind} FLOPs of the peak", share, float(100 * done / available), MFU_WITHIN
            )
    for row in paper["selective_savings"]:
        flops, model, again = _flops(sizes[NAMES[row["model"]]])
        layers = model * (1 - 3 * flops.head / flops.model())
        ours = round(float(100 * again / layers), 1)
        yield Match.equal(f"{row['model']}, overhead", row["flops_overhead_pct"], ours)


def saved_by_torch():
    """What autograd saves for a micro-batch on each rank; what a stage sends on is its output, which that leaves out."""
    for row in MEASURED["peaks"]["pipeline"]:
        if row["schedule"] not in SPLIT:
            continue
        given = read_plan(
            plan(
                TINY,
                4,
                preset="ddp-amp",
                recipe={"compute": "fp32"},
                layout={"pp": 4, "vpp": row["v"]},
                batch={"seq": 64, "micro_batch": row["microbatch"], "global_batch": row["m"] * row["microbatch"]},
                schedule={"kind": SPLIT[row["schedule"]]},
            )
        )
        for rank, measured in enumerate(row["peak"]):
            chunks = rank_memory(given, rank).chunks
            sent = [0 if chunk.chunk.last else row["unit_sbh_bytes"] for chunk in chunks]
            ours = [chunk.amount_bytes - output for chunk, output in zip(chunks, sent, strict=True)]
            name = f"{row['schedule']} m{row['m']} rank {rank}"
            yield Match.equal(name, measured["saved_per_microbatch"], ours)


SOURCES = (
    exact(
        "kept-by-layer",
        "activations",
        "Korthikanti et al., bytes that a layer keeps under every policy",
        "to the byte",
        kept_by_layer,
        *PAPER,
    ),
    exact(
        "kept-by-first-stage",
        "activations",
        "Korthikanti et al., what the first stage keeps in flight",
        "to the digit printed",
        kept_by_first_stage,
        *PAPER,
    ),
    exact(
        "first-figure",
        "states",
        "Korthikanti et al., model states of Figure 1",
        "to the digit printed",
        first_figure,
        *PAPER,
    ),
    exact(
        "utilisation",
        "activations",
        "Korthikanti et al., FLOPs of a step, MFU, HFU and the cost of selective recomputation",
        "FLOPs to the last digit, MFU and HFU within a fifth of a point",
        utilisation,
        *PAPER,
    ),
    exact(
        "saved-by-torch",
        "activations",
        "What PyTorch's autograd saves for a micro-batch",
        "to the byte",
        saved_by_torch,
        (PYTORCH,),
        "torch_memory",
    ),
)
