"""Published speeds beside the model's: sources of the chapter on speed."""

from functools import lru_cache

from model.catalog import gpu_named
from model.flops import flops_per_token
from model.plan import read_plan
from model.speeds import speed_of
from model.step import step_time
from model.step_report import speeds

from .. import speed_rows as rows
from . import names
from .constants import DEALT, HOST, SUSTAINED
from .links import LLAMA3, LLM_FOUNDRY, MEGATRON_2021, MEGATRON_BRIDGE, MEGATRON_LM, PLAYBOOK, SIMUMAX, TORCHTITAN
from .score import Apart, Held, Measured, Scored

TOKENS, TFLOPS = "tokens/s", "TFLOP/s"


def speeds_of(given):
    """What a plan's report says of speed, without the parts that cost the most to find."""
    plan = read_plan(given)
    speed = speed_of(gpu_named(plan.fields["cluster"]["gpu"]), plan.compute)
    flops = flops_per_token(plan.shape, plan.seq, plan.fields["flops"]["attention"])
    return speeds(plan, step_time(plan, speed, whole=False), flops, speed)


def _tokens(found, plan_of, name):
    """Tokens per second and GPU; a source that prints seconds a step is turned into them."""
    scored = []
    for row in found:
        report = speeds_of(plan_of(row))
        seconds = row.get("step_s")
        measured = row["tok_s_gpu"] if seconds is None else report["tokens_per_step"] / row["gpus"] / seconds
        predicted = report["tokens_per_s_per_gpu"]
        scored.append(Scored(name=name(row), measured=measured, predicted=predicted, row=row))
    return tuple(scored)


@lru_cache
def ultrascale():
    """All runs of nanotron, by their tokens."""
    return _tokens(rows.ULTRASCALE_ROWS, rows.ultrascale, names.ultrascale)


def _megatron_2021():
    # Its TFLOP/s count what is recomputed.
    return tuple(
        Scored(
            name=f"{row['params_billion_published']}B on {row['gpus']} A100",
            measured=row["tflops_per_gpu"],
            predicted=speeds_of(rows.megatron_2021(row))["hfu"] * rows.A100_TFLOPS,
            row=row,
        )
        for row in rows.MEGATRON["table1_weak_scaling"]
    )


def _llama3():
    # Which convention its MFU follows is not printed. At 131,072 tokens the two differ by 40 %; counting every score,
    # row 3 would compute its attention faster than any published kernel, so it is the causal one.
    return tuple(
        Scored(
            name=f"{row['gpus']} GPUs, {row['seq']} tokens",
            measured=row["tflops_per_gpu"],
            predicted=speeds_of(rows.llama3(row))["model_tflops_per_gpu"],
            row=row,
        )
        for row in rows.LLAMA3["rows"]
    )


@lru_cache
def megatron_core(micro_batch=1):
    """NVIDIA's weak scaling on H100, which prints no micro-batch."""
    return tuple(
        Scored(
            name=f"{row['model']} on {row['gpus']} H100",
            measured=row["tflops_per_gpu"],
            predicted=speeds_of(rows.megatron_core(row, micro_batch))["mfu"] * rows.H100_TFLOPS,
            row=row,
        )
        for row in rows.MEGATRON["megatron_core_h100_weak_scaling"]
    )


def _published(source, plan_of, name):
    return lambda: _tokens(rows.measured(source), plan_of, name)


SOURCES = (
    Measured(
        key="llama3",
        chapter="speed",
        title="Llama 3 405B on up to 16,384 H100",
        what="TFLOP/s of each GPU, from the table of the training report. Attention is counted as causal, which the "
        "report does not say and these rows decide: with every score counted, one would be quicker than any kernel.",
        unit=TFLOPS,
        links=(LLAMA3,),
        files=("llama3_table4",),
        score=lru_cache(_llama3),
        held=Held(each=0.15),
    ),
    Measured(
        key="megatron-core",
        chapter="speed",
        title="Megatron-Core, weak scaling on H100",
        what="TFLOP/s of each GPU. The table prints neither micro-batch nor virtual stages; micro-batches of one, and "
        "one layer to a virtual stage, are assumed, without which the bubble alone would cost more than the rows lose.",
        unit=TFLOPS,
        links=(MEGATRON_LM,),
        files=("megatron",),
        score=megatron_core,
        held=Held(median=0.06, at_90=0.28),
    ),
    Measured(
        key="megatron-2021",
        chapter="speed",
        title="Megatron-LM in 2021, A100",
        what="TFLOP/s of each GPU, recomputed ones included, from Table 1.",
        unit=TFLOPS,
        links=(MEGATRON_2021,),
        files=("megatron",),
        score=lru_cache(_megatron_2021),
        held=Held(each=0.06),
        set_here=(SUSTAINED,),
    ),
    Measured(
        key="ultrascale-speed",
        chapter="speed",
        title="nanotron, tokens a second",
        what="Tokens per second and GPU of four models under many layouts, on nodes of 8 H100. From the tokens, not from "
        "the Playbook's MFU column, which is too high.",
        unit=TOKENS,
        links=(PLAYBOOK,),
        files=("ultrascale",),
        score=ultrascale,
        held=Held(median=0.15, at_90=2.2),
        set_here=(SUSTAINED, HOST, DEALT),
        by=("gpus", "pp", "tp"),
        apart=(Apart(title="The worst row without a pipeline", field="pp", value=1),),
    ),
    Measured(
        key="torchtitan-speed",
        chapter="speed",
        title="torchtitan, FSDP2 on A100 and H100",
        what="Tokens per second and GPU of Llama 3, some compiled, some in 8 bits.",
        unit=TOKENS,
        links=(TORCHTITAN,),
        files=("measured_speed",),
        score=lru_cache(_published("torchtitan", rows.torchtitan, names.torchtitan)),
        held=Held(median=0.12, at_90=0.50),
    ),
    Measured(
        key="llm-foundry-speed",
        chapter="speed",
        title="LLM Foundry, MPT models under FSDP",
        what="Tokens per second and GPU on A100 and H100, in bf16.",
        unit=TOKENS,
        links=(LLM_FOUNDRY,),
        files=("measured_speed",),
        score=lru_cache(_published("llm_foundry", rows.llm_foundry, names.foundry)),
        held=Held(median=0.12, at_90=0.30),
        by=("seq",),
    ),
    Measured(
        key="simumax-speed",
        chapter="speed",
        title="SimuMax, Megatron-LM on 8 B200",
        what="Seconds a step of dense models, here as tokens per second and GPU.",
        unit=TOKENS,
        links=(SIMUMAX,),
        files=("measured_speed",),
        score=lru_cache(_published("simumax", rows.simumax, names.simumax)),
        held=Held(median=0.08, at_90=0.15),
        set_here=(SUSTAINED,),
    ),
    Measured(
        key="megatron-bridge",
        chapter="speed",
        title="Megatron-Bridge, NVIDIA's own runs",
        what="Tokens per second and GPU of dense models and mixtures of experts, on cards from H100 to B300.",
        unit=TOKENS,
        links=(MEGATRON_BRIDGE,),
        files=("measured_speed",),
        score=lru_cache(_published("megatron_bridge", rows.megatron_bridge, names.bridge)),
        held=Held(median=0.25, at_90=0.60),
    ),
)
