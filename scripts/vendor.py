"""Gather what the site redistributes into `build/vendor`, laid out as the site serves it.

Every folder is named after its contents, so a page that was built before a change keeps finding the files it
was built with. The folders are made aside and moved into place whole; `manifest.json` changes last.
"""

import fcntl
import json
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts import engine, fonts
from scripts.tools import NODE_MODULES, ROOT, VENDOR, ToolError, node, output_of
from scripts.tree_hash import tree_hash

PLOTLY = NODE_MODULES / "plotly.js-basic-dist-min"
RUNTIME = Path("widgets", "runtime")


def say(text: str) -> None:
    """Print one line for one step, at once."""
    print(f"vendor: {text}", flush=True)


def npm_version(package: Path) -> str:
    """The version of a package that npm fetched."""
    return json.loads((package / "package.json").read_text("utf-8"))["version"]


def place(staged: Path, kind: str, target: Path) -> str:
    """Move a finished folder under its content's name; return its path in the site, with a slash at the end."""
    path = f"assets/{kind}/{tree_hash(staged)}/"
    final = target / path
    if not final.exists():
        final.parent.mkdir(parents=True, exist_ok=True)
        staged.rename(final)
    return path


def read_manifest(target: Path) -> dict:
    """The manifest of the last run, empty if there is none or a folder of it is gone."""
    try:
        manifest = json.loads((target / "manifest.json").read_text("utf-8"))
        whole = all((target / folder).is_dir() for folder in manifest["folders"])
    except (OSError, ValueError, KeyError):
        return {}
    return manifest if whole else {}


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that nobody ever reads half of it."""
    aside = path.with_name(path.name + ".new")
    aside.write_text(text, "utf-8")
    aside.replace(path)


def beside(path: str) -> str:
    """A path in the site, seen from a file in `assets/runtime/<hash>/`."""
    return path.replace("assets/", "../../", 1)


def manifest_js(manifest: dict) -> str:
    """The same facts as an ES module beside the runtime, with addresses relative to itself."""
    facts = {
        "versions": manifest["versions"],
        "engine": {"base": beside(manifest["engine"]["base"]), "files": manifest["engine"]["files"]},
        "plotly": {**manifest["plotly"], "url": beside(manifest["plotly"]["url"])},
    }
    return f"// Written by scripts/vendor.py.\nexport default {json.dumps(facts, indent=2)};\n"


def runtime_files(root: Path, manifest: dict) -> dict[str, bytes]:
    """The browser's half of the widgets, with the generated manifest."""
    folder = root / RUNTIME
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.js"))}
    return {**files, "manifest.js": manifest_js(manifest).encode()}


def prune(target: Path, keep: list[str]) -> None:
    """Remove the folders that the new manifest doesn't name."""
    for folder in target.glob("assets/*/*"):
        if f"{folder.relative_to(target).as_posix()}/" not in keep:
            shutil.rmtree(folder)


@contextmanager
def alone(target: Path) -> Iterator[None]:
    """Let one process at a time change `target`: a build, a server and a test may run side by side."""
    target.mkdir(parents=True, exist_ok=True)
    with (target / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def vendor(root: Path = ROOT, target: Path = VENDOR) -> dict:
    """Bring `target` up to date with the sources below `root` and return its manifest."""
    with alone(target):
        return update(root, target)


def update(root: Path, target: Path) -> dict:
    """Do what `vendor` says, with nobody else at it."""
    old = read_manifest(target)
    with tempfile.TemporaryDirectory(dir=target, prefix=".making-") as folder:
        aside = Path(folder)
        inputs = engine.inputs(root)
        manifest: dict = {"inputs": inputs}
        if old and old["inputs"] == inputs:
            manifest |= {"engine": old["engine"], "versions": dict(old["versions"])}
        else:
            say("building the wheel and the memory snapshot")
            staged, files, versions = engine.build(root, aside)
            manifest |= {"engine": {"base": place(staged, "engine", target), "files": files}, "versions": versions}

        staged = aside / "plotly"
        staged.mkdir()
        name = "plotly-basic.min.js"
        shutil.copyfile(PLOTLY / name, staged / name)
        content = (staged / name).read_bytes()
        facts = {"bytes": len(content), "sum": zlib.adler32(content)}
        manifest["plotly"] = {"url": place(staged, "plotly", target) + name, **facts}
        manifest["versions"]["plotly"] = npm_version(PLOTLY)

        manifest["fonts"] = place(fonts.gather(aside / "fonts"), "fonts", target)
        manifest["fonts_css"] = manifest["fonts"] + "fonts.css"

        staged = aside / "runtime"
        for path, content in runtime_files(root, manifest).items():
            (staged / path).parent.mkdir(parents=True, exist_ok=True)
            (staged / path).write_bytes(content)
        output_of(node(), ROOT / "scripts" / "minify.mjs", staged)
        manifest["runtime"] = place(staged, "runtime", target)
        manifest["main"] = manifest["runtime"] + "main.js"

    plotly = manifest["plotly"]["url"].removesuffix(name)
    manifest["folders"] = [manifest["engine"]["base"], plotly, manifest["fonts"], manifest["runtime"]]
    if manifest != old:
        say(f"ready in {target.name}, model {manifest['versions']['model']}")
        write_atomically(target / "manifest.json", json.dumps(manifest, indent=2) + "\n")
        prune(target, manifest["folders"])
    return manifest


if __name__ == "__main__":
    try:
        vendor()
    except ToolError as error:
        sys.exit(f"vendor: {error}")
