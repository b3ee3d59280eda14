"""The browsers that the tests and the bench drive: found, or fetched if there is none.

Chromium is always needed. In this order: the one named by SHARDSCOPE_BROWSER, Playwright's own, the system's. A missing
one is fetched by Playwright, or where that can't download, by apt-get. Firefox and WebKit, as readers have them, take
part where they are installed; where CI is set, apt-get fetches them too, and all three have to be there.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A browser: what its program is called, what else it needs, and the packages that bring it."""

    programs: tuple[str, ...]
    packages: tuple[str, ...]  # alternatives, each a list of names
    beside: tuple[str, ...] = ()
    question: str = "--version"  # the program answers it and ends

    def how(self) -> str:
        """What to install."""
        return " or ".join(f"apt-get install {packages}" for packages in self.packages)


KINDS = {
    "chromium": Kind(
        programs=("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"),
        packages=("chromium",),
    ),
    "firefox": Kind(programs=("firefox-esr", "firefox"), packages=("firefox-esr", "firefox")),
    "webkit": Kind(
        programs=("WebKitWebDriver",), packages=("webkit2gtk-driver xvfb",), beside=("Xvfb",), question="--help"
    ),
}

OTHERS = ("firefox", "webkit")


def all_required() -> bool:
    """Whether each browser has to be there, or only a Chromium."""
    return bool(os.environ.get("CI"))


def say(text: str) -> None:
    """Print one line for one step, at once."""
    print(f"browser: {text}", flush=True)


def starts(path: str | None, question: str = "--version") -> bool:
    """Whether a program is there and runs: one without its system libraries can't even print its version."""
    if not path or not Path(path).exists():
        return False
    try:
        done = subprocess.run([path, question], capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def playwright_browser() -> str:
    """Where Playwright keeps its own Chromium, fetched or not."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def find_browser() -> str | None:
    """The path of a Chromium that runs, or None."""
    named = os.environ.get("SHARDSCOPE_BROWSER")
    if named:
        return named if starts(named) else None
    own = playwright_browser()
    return own if starts(own) else find("chromium")


def find(name: str) -> str | None:
    """The path of the system's browser of a kind, or of what drives it; None if it is not whole."""
    kind = KINDS[name]
    if not all(map(shutil.which, kind.beside)):
        return None
    return next((path for path in map(shutil.which, kind.programs) if starts(path, kind.question)), None)


def succeeds(*command: str) -> bool:
    """Run a command quietly; say whether it went well."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    except OSError:
        return False
    return done.returncode == 0


def as_root() -> list[str] | None:
    """What to put before a command that needs root: nothing, sudo without a password, or None if neither goes."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return []
    return ["sudo", "-n"] if succeeds("sudo", "-n", "true") else None


@cache
def update(*root: str) -> None:
    """Learn once which packages there are."""
    succeeds(*root, "apt-get", "update")


def apt_get(name: str) -> None:
    """Install a kind's packages: the first alternative that there is."""
    root = as_root()
    if root is None or not shutil.which("apt-get"):
        return
    update(*root)
    for packages in KINDS[name].packages:
        say(f"trying apt-get install {packages}")
        if succeeds(*root, "apt-get", "install", "-y", "--no-install-recommends", *packages.split()):
            return


def ensure_browser() -> str | None:
    """Find a Chromium, else fetch one; the path, or None if every way failed."""
    found = find_browser()
    if found:
        return found
    say("no Chromium found; asking Playwright for one")
    playwright = (sys.executable, "-m", "playwright")
    if succeeds(*playwright, "install", "chromium"):
        root = as_root()
        if not find_browser() and root is not None:
            say("installing the system libraries it needs")
            succeeds(*root, *playwright, "install-deps", "chromium")
    else:
        apt_get("chromium")
    return find_browser()


def ensure_other(name: str) -> bool:
    """Find another browser, or fetch it if it is required; say what there is. Whether the tests can go on."""
    if all_required() and not find(name):
        apt_get(name)
    path = find(name)
    say(f"{name}: {path or 'not found; ' + KINDS[name].how()}")
    return bool(path) or not all_required()


def main() -> int:
    """Make sure of the browsers that are required; print each one's path, or how to get it."""
    path = ensure_browser()
    if path:
        say(f"chromium: {path}")
    else:
        advice = f"Install one ({KINDS['chromium'].how()}) or set SHARDSCOPE_BROWSER to its path."
        print(f"browser: no Chromium, and none could be installed. {advice}", file=sys.stderr)
    others = [ensure_other(name) for name in OTHERS]
    return 0 if path and all(others) else 1


if __name__ == "__main__":
    sys.exit(main())
