"""A process that dies with the one that started it, however that one dies. No torch here."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from functools import partial

AGENT = "MEASURE_AGENT"  # the id of the process that starts the ranks
SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG, prctl(2)
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def tie(parent: int | None = None) -> None:
    """From now on this process is killed when its parent ends (on Linux; elsewhere nothing happens).

    ``parent`` is the id of the process that is meant: if it has ended before the tie was made, this process ends now.
    """
    if _LIBC is None:
        return
    _LIBC.prctl(SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if parent is not None and os.getppid() != parent:
        os._exit(1)


def tied() -> Callable[[], None]:
    """What a new process of this one has to do first (``preexec_fn`` of `subprocess`), to die with it."""
    return partial(tie, os.getpid())


def tie_to_agent() -> None:
    """Tie a rank to the agent that started it, where that one is ours; torchrun's own does not say its id."""
    agent = os.environ.get(AGENT)
    tie(int(agent) if agent else None)
