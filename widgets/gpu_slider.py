"""The control that every widget over a group of GPUs shares."""

from .format import gpus
from .messages import N_
from .spec import Slider

GPU_STOPS = (1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64)


def gpu_slider(default: int) -> Slider:
    """GPUs from 1 to 64: each of the first eight, then powers of two; the number box takes any in between."""
    return Slider(
        name="gpus",
        label=N_("GPUs"),
        least=1,
        most=64,
        stops=GPU_STOPS,
        default=default,
        text=gpus,
        help=N_("Arrow keys move by one stop. Page Up and Page Down go to the next or the previous power of two."),
    )
