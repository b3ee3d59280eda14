"""What needs torch runs where torch is: `make test-measure`. `make test` leaves it out."""

from importlib.util import find_spec


def pytest_ignore_collect(collection_path):
    """Of the tests beside this file only those that can run; None leaves the others to pytest."""
    return True if not find_spec("torch") and collection_path.name.startswith("test_") else None
