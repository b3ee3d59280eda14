"""What needs torch runs where torch is: `make test-measure`. `make test` leaves it out."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["test_*.py"]
