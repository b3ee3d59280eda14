"""MkDocs calls these: see ``hooks:`` in mkdocs.yml. Everything they do lies in the modules beside this one."""

import sys
from pathlib import Path

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
_serving = False


def on_startup(*, command: str, dirty: bool) -> None:
    """Makes the repository importable, and remembers whether this process will build more than once."""
    global _serving
    _serving = command == "serve"
    sys.path.insert(0, str(ROOT))  # here, since MkDocs restores the path after it has loaded a hook


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Brings wheel, snapshot and catalogues up to date, and names their versions for the footer."""
    if not config.site_url:
        raise PluginError("site_url is not set: instant navigation would be off. Set SITE_URL, as make build does.")
    if _serving:
        _forget("model", "widgets", "scripts", "tests")
    from model import __version__
    from scripts.site import assets, catalogue, take_along, words
    from scripts.vendor import vendor

    catalogue.compile_all()
    words.speak(config)
    config.extra["versions"] = assets.announce(config, vendor())["versions"]
    config.extra["release"] = __version__
    # While pages are served for writing, nobody waits for an archive at every change.
    config.extra["take_along"] = None if _serving else take_along.NAME
    config.extra["script_strings"] = catalogue.script_strings(config.theme["language"])
    return config


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Adds what the pages load, under names that change with their content."""
    from scripts.site import assets

    return assets.add(files, config)


def on_env(env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
    """Lets the templates say their words in the site's language, ``{{ t("Lesson") }}``, and writes the pages to embed."""
    from scripts.site import embed
    from widgets.messages import messages

    env.globals["t"] = messages(config.theme["language"]).t
    embed.add(files, env, config)
    lost = env.get_template("404-anywhere.html")
    config.extra["missing_anywhere"] = lost.render(config=config, probe=config.extra["embed_script"])
    return env


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Prints the facts, and puts a slot where a widget, a question or a generated table goes."""
    from scripts.site import page as lesson

    return lesson.before_markdown(markdown, page, config)


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Fills the slots."""
    from scripts.site import page as lesson

    return lesson.after_markdown(html, page, config)


def on_post_build(*, config: MkDocsConfig) -> None:
    """Writes into every page what it may run and fetch, and then all pages into one file to take along."""
    from scripts.site import policy, take_along

    policy.impose(Path(config.site_dir), serving=_serving)
    if not _serving:
        missing = config.extra["missing_anywhere"]
        take_along.pack(Path(config.site_dir), name=config.site_name, address=config.site_url, missing=missing)


def _forget(*packages: str) -> None:
    """Lets the next import read changed files: one long-running process serves many builds."""
    for name in [name for name in sys.modules if name.partition(".")[0] in packages]:
        del sys.modules[name]
