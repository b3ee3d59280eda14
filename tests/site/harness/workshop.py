"""The site with pages that only tests have: the same widget twice, in places that open later, and set by its tag."""

import json
import shutil
from pathlib import Path

from .host import Host
from .pages import DOCS, PAGES, ROOT

TWO = """# Two

## Three

<shard-widget name="zero-memory"></shard-widget>

<shard-widget name="zero-memory" prefix="b" stage="zero-3" gpus="64"></shard-widget>

<shard-widget name="data-parallel" prefix="c"></shard-widget>
"""

FOLDED = """# Folded

## Later

<details id="fold" markdown="block">
<summary>Open me</summary>

<shard-widget name="zero-memory"></shard-widget>

</details>

<div id="hidden" hidden markdown="block">

<shard-widget name="model-split" prefix="m"></shard-widget>

</div>
"""
PRESET = """# Preset

## Set

<shard-widget name="zero-memory" prefix="p" stage="zero-3" gpus="48"></shard-widget>
"""
REPOSITORY = "https://git.example/people/shardscope"  # where these pages send reports of wrong numbers
NAVIGATION = {page.title: page.source for page in PAGES} | {
    "Two": "two.md",
    "Folded": "folded.md",
    "Preset": "preset.md",
}
CONFIG = {
    "INHERIT": f"{ROOT}/mkdocs.yml",
    "docs_dir": "docs",
    "repo_url": REPOSITORY,
    "theme": {"custom_dir": f"{ROOT}/docs/templates"},
    "nav": [{title: source} for title, source in NAVIGATION.items()],
    "hooks": [f"{ROOT}/scripts/site/hook.py"],
    "watch": [],
}


def workshop(folder: Path) -> Host:
    """The site with its additional pages; build and serve it."""
    shutil.copytree(DOCS, folder / "docs")
    (folder / "docs" / "two.md").write_text(TWO, "utf-8")
    (folder / "docs" / "folded.md").write_text(FOLDED, "utf-8")
    (folder / "docs" / "preset.md").write_text(PRESET, "utf-8")
    (folder / "mkdocs.yml").write_text(json.dumps(CONFIG), "utf-8")  # JSON is YAML
    return Host(folder / "built")
