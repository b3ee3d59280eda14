"""Which states rest in host memory, and what no framework does.

Weights can rest there where they are sharded: a unit of them comes to the card before it runs (gathers). DeepSpeed has it
at ZeRO-3 alone (deepspeed.runtime.zero.offload_config, DeepSpeedZeroOffloadParamConfig), PyTorch with fully_shard.
"""

from .recipe import PRESETS, Recipe

# The ZeRO stage from which gradients go to host memory as they are reduced, by preset and offload.
# DeepSpeed: stage_1_and_2.py, copy_grads_in_partition, where stage 1 leaves what is not its part until the step; stage3.py,
# grad_partitions_flat_buffer. PyTorch: CPUOffloadPolicy; _fsdp_collectives.py, foreach_reduce.
GRADIENTS_FROM = {
    ("deepspeed", "optimizer"): 2,
    ("deepspeed", "optimizer+weights"): 3,
    ("fsdp2", "optimizer+weights"): 2,
}


def in_host_memory(recipe: Recipe, zero: int, offload: str) -> tuple[str, ...]:
    """The parts (weights, gradients, optimizer) that rest in host memory, and so are not on the card."""
    gradients_from = GRADIENTS_FROM.get((recipe.preset, offload))
    gradients = () if gradients_from is None or zero < gradients_from else ("gradients",)
    return (*(part for part in offload.split("+") if part != "none"), *gradients)


def offload_notes(recipe: Recipe, zero: int, offload: str) -> list[dict]:
    """What to know of a plan with offload, each as ``{code, values, message}``.

    ``weights_not_sharded``  no framework moves weights that it does not shard; they are counted as if one did
    ``gradients_stay``       the gradients stay on the card
    """
    values, notes = {"preset": recipe.preset, "zero": zero, "offload": offload}, []
    if "weights" in offload.split("+") and not recipe.shards("weights", zero):
        stages = [stage for stage in PRESETS[recipe.preset].stages if recipe.shards("weights", stage)]
        change = f"layout.zero {stages[0]} does" if stages else "none of its stages does"
        message = (
            f"{recipe.preset} at ZeRO stage {zero} shards no weights, and no framework moves to host memory what it "
            f"does not shard ({change}); counted as if it did, unit by unit"
        )
        notes.append({"code": "weights_not_sharded", "values": values, "message": message})
    if offload != "none" and "gradients" not in in_host_memory(recipe, zero, offload):
        message = (
            f'gradients stay on the card: {recipe.preset} at ZeRO stage {zero} moves none with offload "{offload}"'
        )
        notes.append({"code": "gradients_stay", "values": values, "message": message})
    return notes
