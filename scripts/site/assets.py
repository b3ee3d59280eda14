"""What the pages load, under names that change with their content: styles, runtime, engine, fonts, charts."""

import json
import re
from hashlib import sha256
from pathlib import Path

from mkdocs.config.config_options import ExtraScriptValue
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from scripts.tools import ROOT, VENDOR

from . import evidence

STYLES = "assets/css"
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
BLANK = re.compile(r"\s*\n\s*")
SETTINGS = ROOT / "widgets/runtime/settings.js"
PATIENCE = re.compile(r"^  startTimeout: ([\d_]+),", re.MULTILINE)
# What the lesson's pages do not import at once, or not at all.
LATER = {"worker.js", "embed.js", "actions.js", "export.js", "picture.js", "report.js", "snippet.js"}


def announce(config: MkDocsConfig, manifest: dict) -> dict:
    """Tells MkDocs which styles and scripts every page loads; returns the manifest."""
    config.extra_css = [manifest["fonts_css"], _style_path(_styles(Path(config.docs_dir)))]
    fonts = VENDOR / manifest["fonts"]
    config.extra["font_preload"] = [path.relative_to(VENDOR).as_posix() for path in sorted(fonts.glob("*.woff2"))]
    # All modules at once: each waits for the one that imports it otherwise, and the chain is six long.
    modules = sorted((VENDOR / manifest["runtime"]).glob("*.js"))
    config.extra["modules"] = [path.relative_to(VENDOR).as_posix() for path in modules if path.name not in LATER]
    # For the one script of a page that works without the runtime.
    config.extra["start_timeout"] = PATIENCE.findall(SETTINGS.read_text("utf-8"))[0]
    config.extra["embed_script"] = manifest["runtime"] + "embed.js"
    script = ExtraScriptValue(manifest["main"])
    script.type = "module"
    config.extra_javascript = [script]
    return manifest


def add(files: Files, config: MkDocsConfig) -> Files:
    """The site's files: the styles as one sheet, the rows of the evidence, and everything that was vendored."""
    style = _styles(Path(config.docs_dir))
    kept = Files([file for file in files if not file.src_uri.startswith(f"{STYLES}/")])
    kept.append(File.generated(config, _style_path(style), content=style))
    for path, text in evidence.files().items():
        kept.append(File.generated(config, path, content=text))
    folders = json.loads((VENDOR / "manifest.json").read_text("utf-8"))["folders"]
    for folder in folders:
        for path in sorted((VENDOR / folder).rglob("*")):
            if path.is_file():
                kept.append(File.generated(config, path.relative_to(VENDOR).as_posix(), abs_src_path=str(path)))
    return kept


def _styles(docs: Path) -> str:
    """All sheets as one, in the order of their names: one request, no flash of half a style. Comments stay here."""
    sheets = "".join(path.read_text("utf-8") for path in sorted((docs / STYLES).glob("*.css")))
    return BLANK.sub("\n", COMMENT.sub("", sheets))


def _style_path(style: str) -> str:
    return f"assets/style/{sha256(style.encode()).hexdigest()[:12]}/shardscope.css"
