"""Nothing lies about unused: a constant that fell out of use once took the fallback typefaces with it."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from scripts.tools import ROOT

CODE = [path for room in ("model", "widgets", "scripts", "tests") for path in sorted((ROOT / room).rglob("*.py"))]
RUNTIME = sorted((ROOT / "widgets" / "runtime").glob("*.js"))
TEXTS = [
    *CODE,
    *RUNTIME,
    *(ROOT / "docs").rglob("*.md"),
    ROOT / "Makefile",
    ROOT / "pyproject.toml",
    ROOT / "mkdocs.yml",
]
WORD = re.compile(r"[A-Za-z_]\w*")
EXPORT = re.compile(r"^export (?:const|let|class|(?:async )?function) (\w+)", re.M)
CALLED_BY_NAME = re.compile(r"test_|pytest|on_(?:startup|config|files|env|page_markdown|page_content|post_build)$")


def names(path: Path) -> Iterator[str]:
    """What a Python file names at its top level."""
    for node in ast.parse(path.read_text("utf-8")).body:
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Assign():
                yield from (target.id for target in node.targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name()):
                yield node.target.id


def test_every_name_is_used_somewhere():
    words = Counter(word for path in TEXTS for word in WORD.findall(path.read_text("utf-8")))
    named = [(path, name) for path in CODE for name in names(path) if not CALLED_BY_NAME.match(name)]
    named += [(path, name) for path in RUNTIME for name in EXPORT.findall(path.read_text("utf-8"))]
    assert len(named) > 1000
    assert [f"{path.relative_to(ROOT)}: {name}" for path, name in named if words[name] == 1] == []
