"""One story in each browser that is here: Chromium, Firefox, WebKit. Where CI is set, each of them has to be."""

from contextlib import ExitStack
from functools import cache

import pytest

from scripts import browser

from .drivers.chromium import chromium
from .drivers.firefox import firefox
from .drivers.webkit import webkit
from .ears import PRELUDE, Ears
from .outside import Outside
from .reader import Reader

CHROMIUM = "chromium"  # the one that all other tests need, too
DRIVERS = {"firefox": firefox, "webkit": webkit}
find = cache(browser.find)
DRIVEN = pytest.StashKey[list[str]]()


def pytest_generate_tests(metafunc):
    if "driver" in metafunc.fixturenames:
        names = [name for name in browser.OTHERS if browser.all_required() or find(name)]
        metafunc.parametrize("driver", [CHROMIUM, *names], indirect=True, scope="session")


def pytest_terminal_summary(terminalreporter, config):
    """Say which browsers the story was told in, and how to have the others."""
    driven = config.stash.get(DRIVEN, [])
    if driven:
        terminalreporter.write_line(f"browsers: {', '.join(driven)}")
        for name in browser.OTHERS:
            if not any(line.startswith(name) for line in driven) and not find(name):
                terminalreporter.write_line(f"browsers: no {name}; {browser.KINDS[name].how()}")


@pytest.fixture(scope="session")
def driver(request):
    """A window of one browser, open as long as tests in it follow each other."""
    name = request.param
    with ExitStack() as stack:
        if name == CHROMIUM:
            driver = stack.enter_context(chromium(request.getfixturevalue("browser")))
        else:
            program = find(name)
            assert program, f"no {name}: {browser.KINDS[name].how()}"
            outside = stack.enter_context(Outside())
            driver = stack.enter_context(DRIVERS[name](program, outside))
        request.config.stash.setdefault(DRIVEN, []).append(f"{name} {driver.version}")
        yield driver


@pytest.fixture
def reader(request, driver, site):
    """Somebody at that window. What the pages say and ask for is judged as it is in all other tests."""
    with site.observed(PRELUDE):
        ears = request.node.funcargs["record"] = Ears(driver, site)
        ears.take()  # the window may still hold what failed the test before
        ears.forget()
        yield Reader(driver, site, ears)
