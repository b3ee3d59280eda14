"""What a page loads has an address that changes with its content, so that old and new pages live side by side."""

import re
import shutil

import pytest

from scripts.tools import ROOT
from scripts.vendor import vendor

pytestmark = pytest.mark.engine


def _copy(folder):
    for package in ("model", "widgets"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def _by_kind(manifest):
    return {folder.split("/")[1]: folder for folder in manifest["folders"]}


def test_a_changed_model_gets_a_new_engine_and_a_new_runtime_and_leaves_the_rest(tmp_path):
    root = _copy(tmp_path / "root")
    units = root / "model" / "units.py"
    units.write_text(units.read_text("utf-8") + "\nCHANGED = True\n", "utf-8")
    before, after = _by_kind(vendor()), _by_kind(vendor(root, tmp_path / "vendor"))
    assert {kind for kind in before if before[kind] != after[kind]} == {"engine", "runtime"}


@pytest.mark.full
def test_the_same_sources_give_the_same_addresses_anywhere(tmp_path):
    assert vendor(_copy(tmp_path / "root"), tmp_path / "vendor")["folders"] == vendor()["folders"]


def test_every_folder_is_named_after_its_content():
    assert all(re.fullmatch(r"assets/[a-z]+/[0-9a-f]{12}/", folder) for folder in vendor()["folders"])
