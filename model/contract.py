"""What each field of a plan means and in which unit it counts: the words beside ``schema``, which says what is legal."""

from textwrap import wrap

from .catalog import GPUS
from .links import LINKS
from .schema import REQUIRED, SECTIONS, Field

TYPES = {
    "int": "whole number",
    "number": "number",
    "bool": "true or false",
    "token": "word",
    "gpu": "word",
    "link": "word",
    "ints": "list of whole numbers",
}
WORDS = {"gpu": (*GPUS, "card-<N>gb"), "link": (*LINKS, '"GB/s:µs"')}
MODEL = (
    'a name of the catalogue, a config.json object, {"architecture": {...}} in neutral field names, or '
    '{"params": 7.5e9}, of which states alone are counted'
)
PRESETS = "the preset's"
# Each field's unit ("" where it counts nothing), what null means ("" where null is not legal), and its meaning.
MEANING = {
    "cluster": {
        "gpu": ("", "", "the card: its memory and its speed"),
        "gpus": ("GPUs", "", "all that take part"),
        "gpus_per_node": ("GPUs", "", "joined by the intra link; fewer where the cluster is smaller"),
        "intra": ("", "", "link inside a node; a rate is one way per GPU, with the latency of a step"),
        "inter": ("", "", "link between nodes, of each GPU"),
    },
    "layout": {
        "dp": ("ranks", "gpus / (tp x pp x cp)", "data-parallel degree: replicas that share the batch"),
        "tp": ("ranks", "", "tensor-parallel degree: ranks that share each layer"),
        "pp": ("ranks", "", "pipeline-parallel degree: ranks that the stack of layers is cut over"),
        "cp": ("ranks", "", "context-parallel degree: ranks that share each sequence"),
        "ep": ("ranks", "", "expert-parallel degree: ranks that the experts are dealt to"),
        "etp": ("ranks", "", "tensor-parallel degree of the experts"),
        "vpp": ("stages a rank", "", "runs of layers that one pipeline rank holds"),
        "zero": (
            "",
            "the lowest the preset runs",
            "what replicas shard: 0 nothing, 1 optimizer state, 2 + gradients, 3 + weights",
        ),
        "shard_group": ("ranks", "all replicas", "ranks that share one sharded copy; fewer is hybrid sharding"),
        "sequence_parallel": ("", "", "cut norms and residuals along the sequence over the tp ranks"),
        "stage_layers": ("layers", "dealt evenly", "layers of each of the pp x vpp stages, in order"),
        "vocab_multiple": ("rows", "", "the vocabulary is padded to a multiple of this times tp"),
    },
    "recipe": {
        "preset": ("", "", "whose conventions set the bytes of a parameter and what is sharded"),
        "optimizer": ("", "", "sets the bytes of the moments"),
        "step": ("", "", "foreach makes a temporary as large as the shard, fused does not"),
        "trainable": ("fraction", "", "share of the parameters that is trained; the others have weights alone"),
        "offload": ("", "", "states that rest in host memory; weights come to the card unit by unit"),
        "weight_bytes": ("bytes a parameter", PRESETS, "the weight that computes"),
        "gradient_bytes": ("bytes a parameter", PRESETS, "the gradient that is kept"),
        "master_bytes": ("bytes a parameter", PRESETS, "the copy that the optimizer updates; 0 for none"),
        "moment_bytes": ("bytes a parameter", PRESETS, "all moments of the optimizer together"),
        "reduce_bytes": ("bytes a number", PRESETS, "format in which gradients are summed over the replicas"),
        "compute": ("", "", "format of the matrix products"),
        "bucket": ("numbers", PRESETS, "size of a communication bucket"),
        "bucket_view": ("", "", "gradients are views of the buckets, so that DDP needs no copy of them"),
        "gradient_fusion": (
            "",
            "true where the loss is not eager",
            "megatron-te alone: weight gradients are added inside the matrix product, Megatron-LM's own default",
        ),
        "overlap": ("", "", "communicate while computing, with a second bucket"),
        "wrap": ("", "", "what FSDP gathers at once"),
    },
    "batch": {
        "seq": ("tokens", "the model's own context", "length of a sequence"),
        "micro_batch": ("sequences", "", "what one rank computes at once"),
        "global_batch": ("sequences", "dp x micro_batch", "what all replicas compute in one step"),
        "total_tokens": ("tokens", "not asked", "of the whole training, for days and GPU hours"),
    },
    "activation": {
        "recompute": ("", "", "what the backward pass computes again instead of keeping it"),
        "recompute_layers": ("layers", "all", "how many are recomputed, under full"),
        "attention": ("", "", "flash keeps no matrix of scores, eager does"),
        "implementation": ("", "", "whose kernels: which tensors a layer keeps, and how quick it is"),
        "compile": ("", "", "torch.compile: what can be fused is not kept"),
        "dropout": ("fraction", "", "0 keeps no masks"),
        "loss": ("", "", "how many copies of the logits the loss makes"),
        "expert_balance": ("times the mean", "", "tokens of the fullest rank's experts"),
    },
    "schedule": {
        "kind": ("", "", "order of the pipeline's steps"),
        "forward": ("any unit of time", "", "of one stage's whole layers for one micro-batch"),
        "backward": ("any unit of time", "", "of the whole backward"),
        "weight": ("any unit of time", "", "the part of the backward that makes the weight gradients"),
    },
    "flops": {"attention": ("", "", "count all attention scores, or causal: half of them")},
}


def contract() -> list[dict]:
    """Every field of a plan in order: ``path``, ``type``, ``unit``, ``default`` and ``allowed`` as text, ``meaning``."""
    model = {
        "path": "model",
        "type": "word or object",
        "unit": "",
        "default": "required",
        "allowed": "",
        "meaning": MODEL,
    }
    return [model, *(_row(section, name, field) for section in SECTIONS for name, field in SECTIONS[section].items())]


def field_list(width: int = 110) -> str:
    """The contract as lines of text, for help."""
    lines = []
    for row in contract():
        kind = f"{row['type']}, {row['unit']}" if row["unit"] else row["type"]
        default = row["default"] if row["default"] == "required" else f"default {row['default']}"
        lines.append(f"  {row['path']} ({kind}; {default})")
        words = f". One of: {row['allowed']}" if row["type"] == "word" else ""
        indent = "      "
        lines += wrap(
            row["meaning"] + words, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        )
    return "\n".join(lines)


def _row(section: str, name: str, field: Field) -> dict:
    unit, null, meaning = MEANING[section][name]
    return {
        "path": f"{section}.{name}",
        "type": TYPES[field.kind],
        "unit": unit,
        "default": "required" if field.default is REQUIRED else _json(field.default, null),
        "allowed": _allowed(field),
        "meaning": meaning,
    }


def _json(value: object, null: str) -> str:
    if value is None:
        return f"null: {null}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _allowed(field: Field) -> str:
    if field.kind in WORDS:
        return ", ".join(WORDS[field.kind])
    if field.allowed:
        return ", ".join(field.allowed)
    if field.least is None:
        return ""
    return f"from {field.least}" if field.most is None else f"from {field.least} to {_round(field.most)}"


def _round(number: float) -> str:
    """A number; a power of ten from a million on as one."""
    zeros = len(str(number)) - 1
    return f"10^{zeros}" if zeros > 5 and number == 10**zeros else f"{number:,}"
