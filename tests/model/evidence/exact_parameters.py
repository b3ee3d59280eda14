"""Exact figures: counts of parameters, FLOPs of a step, days of training."""

from model.architecture import Architecture
from model.config import read_config
from model.flops import flops_per_token
from model.megatron import flops_per_step, parameters, training_days
from model.models import described_model, model_named
from model.parameters import parameter_report
from model.tensors import parameters as parameters_of

from ..measured_runs import load
from ..speed_rows import gpt
from .links import DEEPSEEK, LITGPT, MEGATRON_2021, TRANSFORMERS
from .score import Match, exact

LAST = "to the last parameter"


def published_counts():
    """Totals and active parameters as their publishers give them."""
    for row in load("param_counts")["rows"]:
        counted = parameter_report(Architecture.from_neutral(row["config"]))
        published = (row["parameters"], row["active"])
        yield Match.equal(row["model"], published, (counted["total"], counted["active"]))


def built_counts():
    """What transformers builds: the catalogue by name, and small configs of every family."""
    data = load("transformers_counts")
    for name, count in data["catalogue"].items():
        yield Match.equal(name, count, parameters_of(model_named(name).architecture))
    for place, row in enumerate(data["configs"]):
        name = f"{row['config']['model_type']} config {place}"
        yield Match.equal(name, row["parameters"], parameters_of(read_config(row["config"])[0]))


def megatron_table():
    """Parameters and FLOPs of a step in Table 1 of 2021."""
    for row in load("megatron")["table1_weak_scaling"]:
        sizes = {name: row[name] for name in ("hidden", "layers", "vocab", "seq")}
        name = f"{row['params_billion_published']}B"
        yield Match.equal(f"{name}, parameters", row["params_billion_published"], round(parameters(**sizes) / 1e9, 1))
        shape = described_model({"architecture": gpt(row)}).architecture
        flops, tokens = flops_per_token(shape, row["seq"]), row["global_batch"] * row["seq"]
        ours = float(tokens * (flops.model() + flops.recomputed("full")))
        yield Match.equal(
            f"{name}, formula and tensors", float(flops_per_step(**sizes, batch=row["global_batch"])), ours
        )
        yield Match.near(f"{name}, FLOPs a step", row["flops_per_iter"], ours, row["flops_per_iter"] * 1e-9)


def megatron_days():
    """Days of training in section 5.1 of the same paper."""
    for row in load("megatron")["train_time_examples"]:
        ours = training_days(tokens=row["T"], parameters=row["P"], gpus=row["n"], flops_per_s=row["X_tflops"] * 1e12)
        yield Match.near(f"{row['n']} GPUs", row["published_days"], ours, 1)


SOURCES = (
    exact(
        "published-counts",
        "parameters",
        "Published counts of parameters, total and active",
        LAST,
        published_counts,
        (LITGPT, DEEPSEEK),
        "param_counts",
    ),
    exact(
        "built-counts",
        "parameters",
        "What transformers builds, by name and from every family's config",
        LAST,
        built_counts,
        (TRANSFORMERS,),
        "transformers_counts",
    ),
    exact(
        "megatron-table",
        "parameters",
        "Megatron-LM 2021, Table 1: parameters, and FLOPs of a step",
        "parameters to the digit printed, FLOPs to nine digits",
        megatron_table,
        (MEGATRON_2021,),
        "megatron",
    ),
    exact(
        "megatron-days",
        "parameters",
        "Megatron-LM 2021, days of training",
        "within a day",
        megatron_days,
        (MEGATRON_2021,),
        "megatron",
    ),
)
