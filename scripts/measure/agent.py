"""torchrun as we start it: tied to the run that wants it, and without a traceback where a rank has failed."""

import os
import sys

from .lifeline import AGENT


def main(arguments: list[str]) -> int:
    """Start the ranks that torchrun's ``arguments`` ask for; 1 where one of them failed."""
    os.environ[AGENT] = str(os.getpid())
    # The rank itself says what failed; torchrun's table would bury it.
    os.environ.setdefault("LOGLEVEL", "CRITICAL")
    from torch.distributed import run
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

    try:
        run.main(arguments)
    except ChildFailedError:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
