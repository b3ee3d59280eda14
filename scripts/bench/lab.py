"""Where the readers of the bench come from: one browser, the built site on a line that can be slowed, and its rivals."""

import json
import shutil
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import BrowserType, Page

from scripts.bench import by_hand
from scripts.build import build_site
from scripts.httpd import Site
from scripts.tools import BUILD, NODE_MODULES, VENDOR
from scripts.tree_hash import tree_hash

HERE = Path(__file__).parent
PATIENCE_MS = 180_000
FOLDER = BUILD / "bench"
RIVALS = "assets/rivals/"
PYSCRIPT = NODE_MODULES / "@pyscript" / "core" / "dist"
MICROPYTHON = NODE_MODULES / "@micropython" / "micropython-webassembly-pyscript"
CHART = "shard-widget .js-plotly-plot .main-svg"


class Lab:
    """Opens pages as new readers do."""

    def __init__(self, chromium: BrowserType, browser: str, site: Site) -> None:
        self.chromium, self.browser, self.site = chromium, browser, site
        self.manifest: dict = {}
        self.rivals = ""

    def build(self) -> None:
        """Build the site for the address it is served at, put the rivals beside it, and let the server compress all."""
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True)
        build_site(FOLDER, self.site.url)
        self.manifest = json.loads((VENDOR / "manifest.json").read_text("utf-8"))
        self.rivals = _place_rivals(self.manifest)
        for file in FOLDER.rglob("*"):
            if file.is_file():
                address = self.site.url + file.relative_to(FOLDER).as_posix()
                request = urllib.request.Request(address, headers={"Accept-Encoding": "gzip"})
                urllib.request.urlopen(request).read()

    @contextmanager
    def reader(self, profile: Path | None = None) -> Iterator[Page]:
        """A page in a new browser process; without a profile kept from before, with a fresh one and an empty cache."""
        with TemporaryDirectory() as fresh:
            context = self.chromium.launch_persistent_context(
                profile or fresh, executable_path=self.browser, args=["--no-sandbox"]
            )
            context.set_default_timeout(PATIENCE_MS)
            context.add_init_script(path=HERE / "probe.js")
            yield context.pages[0]
            context.close()

    def open_lesson(self, page: Page, path: str) -> None:
        """Open a lesson page and wait until its default chart stands; the engine must not have been asked for."""
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(self.site.url + path)
        page.locator(CHART).first.wait_for()
        page.wait_for_load_state("networkidle")
        early = [url for url in asked if "/engine/" in url]
        if early:
            raise RuntimeError(f"the engine was fetched before any intent: {early}")


def _place_rivals(manifest: dict) -> str:
    """Put what is measured beside the site below a name that caches may keep; return its path in the site."""
    aside = FOLDER / "rivals"
    shutil.copytree(HERE / "rivals", aside)
    shutil.copytree(PYSCRIPT, aside / "pyscript", ignore=shutil.ignore_patterns("*.map"))
    shutil.copytree(MICROPYTHON, aside / "micropython")
    (aside / "by_hand.html").write_text(by_hand.page(FOLDER, manifest), "utf-8")
    path = f"{RIVALS}{tree_hash(aside)}/"
    (FOLDER / path).parent.mkdir(parents=True)
    aside.rename(FOLDER / path)
    return path
