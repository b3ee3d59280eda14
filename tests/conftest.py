"""The long form of the tests, marked ``full``, runs where FULL is set: `make test-all` sets it."""

import os


def pytest_collection_modifyitems(config, items):
    if os.environ.get("FULL"):
        return
    long_form = [item for item in items if item.get_closest_marker("full")]
    config.hook.pytest_deselected(items=long_form)
    items[:] = [item for item in items if item not in set(long_form)]
