"""What the built site weighs, by what a budget limits: bytes and counts, which are the same on every machine."""

import gzip
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from mkdocs.utils.yaml import yaml_load

from scripts.build import build_site
from scripts.tools import ROOT

BUDGET: dict[str, float] = json.loads((ROOT / "scripts" / "budget.json").read_text("utf-8"))
# Both ways to start need the first three; a stock start as Pyodide documents it also its lock file.
SHARED = ("loader", "core", "wasm")
SNAPSHOT = (*SHARED, "snapshot")
STOCK = (*SHARED, "stdlib", "lock")
# Files that others made and the site passes on as they are.
THEIRS = ("assets/plotly/", "assets/javascripts/", "assets/stylesheets/")


def gzipped(path: Path) -> int:
    """Bytes of a file after gzip -9."""
    return len(gzip.compress(path.read_bytes(), 9))


def is_ours(path: str) -> bool:
    """Whether a file of the site is the lesson's own, rather than Material's or Plotly's."""
    return not path.startswith(THEIRS)


def weights(site: Path, manifest: dict) -> dict[str, float]:
    """Each weight of a built site that needs no browser to find, under the name that the budget has for it."""
    engine = site / manifest["engine"]["base"]
    files = {key: engine / file["name"] for key, file in manifest["engine"]["files"].items()}
    sizes = {key: gzipped(path) for key, path in files.items()}
    return {
        "engine_bytes_vs_stock": round(sum(sizes[key] for key in SNAPSHOT) / sum(sizes[key] for key in STOCK), 3),
        "snapshot_bytes": files["snapshot"].stat().st_size,
        "wheel_bytes": files["wheel"].stat().st_size,
        "search_index_bytes": gzipped(site / "search" / "search_index.json"),
        "style_bytes": sum(map(gzipped, site.glob("assets/style/*/*.css"))),
        "runtime_bytes": sum(map(gzipped, (site / manifest["runtime"]).glob("*.js"))),
        "font_bytes": sum(path.stat().st_size for path in (site / manifest["fonts"]).glob("*.woff2")),
    }


def overruns(found: dict[str, float]) -> list[str]:
    """What weighs more than its limit, and by how much."""
    return [
        f"{name} is {value:,}, {value - BUDGET[name]:,.10g} over its limit of {BUDGET[name]:,}"
        for name, value in found.items()
        if value > BUDGET[name]
    ]


def frame_bytes() -> int:
    """Compressed bytes of an empty page of the theme: what of each document is Material's markup, and not ours."""
    config = yaml_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    theme = {key: config["theme"][key] for key in ("name", "language", "font", "features", "palette")}
    with TemporaryDirectory() as folder:
        bare = Path(folder)
        (bare / "docs").mkdir()
        (bare / "docs" / "index.md").write_text("", "utf-8")
        plain = {"site_name": "-", "docs_dir": "docs", "site_dir": "site", "theme": theme, "plugins": ["search"]}
        (bare / "mkdocs.yml").write_text(json.dumps(plain), "utf-8")  # JSON is YAML
        build_site(bare / "site", "http://127.0.0.1/", bare / "mkdocs.yml")
        return gzipped(bare / "site" / "index.html")
