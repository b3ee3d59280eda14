"""A page of its own for every widget, to be shown inside other pages: ``embed/NAME/``.

Built, rather than a lesson page that hides all but one widget when it is asked to: nothing of the lesson is fetched or
flashes by, the page is whole without a script, and a host that strips scripts or forbids storage still shows it. A
lesson's address with ``?embed`` leads here, so that either form works. It is no page of the lesson: it is not in the
navigation, the search or the site's map, and names the lesson's page as the one to list.
"""

from types import SimpleNamespace

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from widgets.foot import Place
from widgets.markup import widget_html
from widgets.messages import messages
from widgets.registry import WIDGETS
from widgets.spec import Widget

from .numbers import version


def add(files: Files, env: Environment, config: MkDocsConfig) -> None:
    """Writes the page of every widget that stands in a lesson; where it stands on several pages, the last teaches it."""
    homes = {
        name: (file.page, prefix, frozenset(given))
        for file in files.documentation_pages()
        for name, prefix, given in file.page.meta["shard_widgets"]
    }
    for widget in WIDGETS:
        if widget.name in homes:
            text = _html(widget, *homes[widget.name], env, config)
            files.append(File.generated(config, f"embed/{widget.name}/index.html", content=text))


def _html(
    widget: Widget, home: Page, prefix: str, named: frozenset[str], env: Environment, config: MkDocsConfig
) -> str:
    locale = config.theme["language"]
    place = Place(
        version=version(widget.name),
        repository=config.repo_url or "",
        page=home.url.removeprefix("./"),
        page_prefix=prefix,
        named=named,
    )
    strings = config.extra["script_strings"]
    html = widget_html(widget.name, given={}, prefix="", locale=locale, strings=strings, place=place, rank=1)
    t = messages(locale).t
    page = SimpleNamespace(
        url=f"embed/{widget.name}/",
        canonical_url=home.canonical_url,
        title=t(widget.title),
        meta={"description": t(widget.question)},
        toc=[],
    )
    return env.get_template("embed.html").render(config=config, page=page, home=home, widget=html, base_url="../..")
