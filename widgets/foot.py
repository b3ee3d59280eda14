"""The foot of a widget as the build writes it: what it says about itself, and what a reader can do with what it shows."""

from dataclasses import dataclass
from html import escape
from urllib.parse import urlsplit

from .messages import N_, Messages
from .spec import Widget

ROW = {"reset": N_("Reset"), "link": N_("Copy link")}
MORE = N_("Take it along")
GROUPS = (
    (N_("Picture"), {"png": N_("PNG"), "svg": N_("SVG")}),
    (N_("Numbers"), {"csv": N_("CSV"), "plan": N_("Copy plan"), "command": N_("Copy command")}),
    (N_("Your own page"), {"embed": N_("Copy embed code")}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a widget's links need to know of the place it stands in.

    ``version``: of its numbers; ``repository``: where a wrong number is reported, "" where nobody has said;
    ``page``: for the embedded widget, the lesson's page, below the site's address, and ``page_prefix`` its prefix there;
    ``named``: controls whose default there is another one, so that a link from here to there always names them.
    """

    version: str = ""
    repository: str = ""
    page: str | None = None
    page_prefix: str = ""
    named: frozenset[str] = frozenset()


def attributes(place: Place) -> str:
    """What the element carries of it."""
    text = f' data-version="{escape(place.version)}"'
    if place.page is not None:
        text += f' data-page="{escape(place.page)}" data-page-prefix="{escape(place.page_prefix)}"'
    return text


def status(language: Messages) -> str:
    """The lines that are empty until there is something to say."""
    # A section, since the search leaves out no more than up to the end of the first element of the same kind inside.
    return (
        '<section class="sw-messages" data-search-exclude>'
        '<p class="sw-link-note" hidden><span></span> <a target="_blank" rel="noopener"></a></p>'
        '<div class="sw-line"><p class="sw-status" role="status"></p>'
        f'<button type="button" class="sw-cancel" hidden>{_t(language, N_("Cancel"))}</button></div>'
        '<p class="sw-live visually-hidden" aria-live="polite"></p>'
        '<div class="sw-error" role="alert" hidden data-search-exclude><p class="sw-error-title"></p><p class="sw-error-cause"></p>'
        f'<p class="sw-error-works"></p><button type="button" class="sw-retry">{_t(language, N_("Retry"))}</button>'
        f"<details><summary>{_t(language, N_('Technical details'))}</summary>"
        '<pre class="sw-error-details"></pre></details></div></section>'
    )


def actions(widget: Widget, uid: str, place: Place, language: Messages) -> str:
    """A quiet row; what takes something along is one press away, so that the row stays short on a phone."""
    title = language.t(widget.title)

    def button(action: str, label: str, more: str = "") -> str:
        return (
            f'<button type="button" data-action="{action}"{more} aria-label="{_t(language, label)}: {escape(title)}">'
            f"{_t(language, label)}</button>"
        )

    row = "".join(button(action, label) for action, label in ROW.items())
    opens = button("more", MORE, f' aria-expanded="false" aria-controls="{uid}-more"')
    groups = "".join(
        f'<div role="group" aria-labelledby="{uid}-more-{index}"><span id="{uid}-more-{index}">{_t(language, name)}</span>'
        f"{''.join(button(action, label) for action, label in actions.items())}</div>"
        for index, (name, actions) in enumerate(GROUPS)
    )
    return (
        f'<section class="sw-actions" data-search-exclude>{row}{opens}{_report(title, place, language)}'
        f'<div class="sw-more" id="{uid}-more" hidden>{groups}</div>'
        f'<label class="sw-copy" hidden><span>{_t(language, N_("To copy by hand"))}</span>'
        '<textarea readonly rows="3"></textarea></label></section>'
    )


def _report(title: str, place: Place, language: Messages) -> str:
    """A plain link to the repository's form, which the page fills in; without a repository, a text to send as one likes."""
    if not place.repository:
        label = _t(language, N_("Copy a report of a wrong number"))
        return f'<button type="button" class="sw-report" data-action="report" aria-label="{label}: {escape(title)}">{label}</button>'
    host = urlsplit(place.repository).netloc
    label = escape(language.t("Report a wrong number on {host}", host=host))
    form = escape(f"{place.repository.rstrip('/')}/issues/new")
    return f'<a class="sw-report" href="{form}" target="_blank" rel="noopener">{label}</a>'


def _t(language: Messages, text: str) -> str:
    return escape(language.t(text))
