"""Every source that the model is compared with, in the order of the page, and why each one's worst row is the worst."""

import json
from pathlib import Path

from . import (
    exact_activations,
    exact_constants,
    exact_parameters,
    exact_pipelines,
    exact_states,
    memory,
    messages,
    speed,
)
from .score import Exact, Measured

MEASURED: tuple[Measured, ...] = (*memory.SOURCES, *speed.SOURCES, *messages.SOURCES)
EXACT: tuple[Exact, ...] = (
    *exact_parameters.SOURCES,
    *exact_states.SOURCES,
    *exact_activations.SOURCES,
    *exact_pipelines.SOURCES,
    *exact_constants.SOURCES,
)
# Source -> row -> reason. Rows that are close behind the worst may have theirs too.
REASONS: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "reasons.json").read_text("utf-8"))
