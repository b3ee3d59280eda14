"""The plan that a widget's values stand for, as the command line and other tools read it."""

from model.catalog import EXAMPLE


def example_plan(gpus: int, **layout: int) -> dict:
    """The running example on ``gpus`` cards, with the layout's degrees and ZeRO stage as a plan names them."""
    return {
        "model": {"params": EXAMPLE.parameters},
        "cluster": {"gpu": EXAMPLE.card, "gpus": gpus},
        "recipe": {"preset": EXAMPLE.preset},
        "layout": layout,
    }
