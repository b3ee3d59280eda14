import os

import pytest

from scripts.measure.__main__ import main
from scripts.measure.suites import OWN


@pytest.fixture
def toy_kinds(monkeypatch):
    """The commands know the toy alone, in this process and in those that it starts."""
    monkeypatch.setenv(OWN, "tests.measure.toy")
    for name in [name for name in os.environ if name.startswith("TOY")]:
        monkeypatch.delenv(name)


@pytest.fixture
def command(capsys):
    """Run a command; its exit code, what it printed and what it complained of."""

    def run(*arguments):
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as ended:
            code = ended.code
        told = capsys.readouterr()
        return code, told.out, told.err

    return run
