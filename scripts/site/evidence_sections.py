"""One section of the page "How right is it?" for each measured source: what it is, how far off, what is worst and why."""

from collections.abc import Callable, Sequence
from html import escape

from tests.model.evidence.score import FAR, Link, Measured, Scored, Summary
from tests.model.evidence.sources import MEASURED, REASONS
from widgets.format import number
from widgets.messages import Messages

from . import evidence
from .scatter import figure, percent, scatter
from .tables import table

MOST_ROWS = 40  # of a table in the page; of a longer source, the worst stand there, and the file has all


def sections(chapter: str) -> Callable[[Messages], str]:
    """A part with the sections of one chapter."""

    def html(language: Messages) -> str:
        return "".join(_section(source, language) for source in MEASURED if source.chapter == chapter)

    return html


def _section(source: Measured, language: Messages) -> str:
    t, rows = language.t, evidence.rows_of(source)
    found = Summary.of(rows)
    named = _named(t("The worst row"), found.worst, source, language)
    for apart in source.apart:
        part = Summary.of(apart.of(rows))
        counts = {"rows": number(part.rows, language), "n": number(part.far, language)}
        far = t("{n} of {rows} rows are off by more than {share}.", share=percent(FAR, language), **counts)
        named += _named(apart.title, part.worst, source, language, more=far)
    drawing = scatter(
        rows,
        name=f"ev-{source.key}",
        unit=source.unit,
        title=source.title,
        in_sample=bool(source.set_here),
        language=language,
    )
    facts = (
        (t("Rows"), number(found.rows, language)),
        (t("Median error"), percent(found.median, language)),
        (t("90th percentile"), percent(found.at_90, language)),
        (t("Lean"), percent(found.lean, language, signed=True)),
        (t("Held by the tests"), held(source, language)),
    )
    if found.far:
        off = t("{n} of {rows}", n=number(found.far, language), rows=number(found.rows, language))
        facts += ((t("Off by more than {share}", share=percent(FAR, language)), off),)
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts)
    return (
        f'<section class="ev-source"><div><h3 id="{source.key}">{escape(source.title)}'
        f'<a class="headerlink" href="#{source.key}" title="{escape(t("Link to this section"))}">¶</a></h3>'
        f"<p>{escape(source.what)} {links(source.links)}</p><p>{_sample(source, language)}</p>"
        f'<dl class="ev-facts">{listed}</dl>'
        f"{named}</div>"
        f'<figure class="drawing ev-drawing" data-search-exclude>{drawing}</figure>'
        f"{_details(source, rows, language)}</section>"
    )


def _named(title: str, row: Scored, source: Measured, language: Messages, more: str = "") -> str:
    """A row, its error, the reason for it and what more there is to say."""
    reason = REASONS.get(source.key, {}).get(row.name) or language.t("Why is not known yet.")
    error = percent(row.error, language, signed=True)
    return (
        f"<p><b>{escape(title)}:</b> <code>{escape(row.name)}</code> {error}. {escape(f'{reason} {more}'.strip())}</p>"
    )


def _sample(source: Measured, language: Messages) -> str:
    t = language.t
    if not source.set_here:
        return f'<span class="ev-tag ev-tag-held">{escape(t("Held out"))}</span> {escape(t("Nothing was set on these rows, nor on the same runs."))}'
    constants = ", ".join(f"{escape(one.what)} (<code>{escape(one.path)}</code>)" for one in source.set_here)
    return f'<span class="ev-tag ev-tag-set">{escape(t("In sample"))}</span> {escape(t("Set on these rows or on the same runs:"))} {constants}.'


def held(source: Measured, language: Messages) -> str:
    """The bounds that the tests hold."""
    t, bounds = language.t, source.held
    found = []
    if bounds.median is not None:
        found.append(t("median under {bound}", bound=bound(bounds.median, language)))
    if bounds.at_90 is not None:
        found.append(t("90th percentile under {bound}", bound=bound(bounds.at_90, language)))
    if bounds.each is not None:
        found.append(t("every row under {bound}", bound=bound(bounds.each, language)))
    return ", ".join(found) or t("no bound")


def bound(share: float, language: Messages) -> str:
    """A bound with all its digits."""
    return f"{number(round(100 * share, 3), language)}\u00a0%"


def links(published: Sequence[Link]) -> str:
    """Where a source was published."""
    return ", ".join(f'<a href="{escape(link.url)}">{escape(link.title)}</a>' for link in published) + "."


def _details(source: Measured, rows: Sequence[Scored], language: Messages) -> str:
    t = language.t
    shown = sorted(rows, key=lambda row: -abs(row.error))[: None if len(rows) <= MOST_ROWS else MOST_ROWS // 4]
    lines = (
        (
            f"<code>{escape(row.name)}</code>",
            figure(row.measured, language),
            figure(row.predicted, language),
            percent(row.error, language, signed=True),
        )
        for row in shown
    )
    caption = t("{title}: rows, worst first", title=source.title)
    if len(shown) < len(rows):
        caption = t("{title}: the {n} worst of {rows} rows", title=source.title, n=len(shown), rows=len(rows))
    columns = (
        t("Row"),
        t("Measured, {unit}", unit=source.unit),
        t("Predicted, {unit}", unit=source.unit),
        t("Error"),
    )
    link = f'<a href="../{evidence.file_of(source)}" download="{source.key}.csv">{escape(t("All rows as CSV"))}</a>'
    groups = "".join(_by(source, rows, field, language) for field in source.by)
    return (
        f'<details class="sw-data ev-data"><summary>{escape(t("Data table"))}</summary><p>{link}</p>'
        f"{table(caption, columns, lines)}{groups}</details>"
    )


def _by(source: Measured, rows: Sequence[Scored], field: str, language: Messages) -> str:
    """The errors of a source by one of its fields."""
    t, lines = language.t, []
    for value in sorted({row.row[field] for row in rows}):
        found = Summary.of([row for row in rows if row.row[field] == value])
        lines.append(
            (
                f"{field} {figure(value, language)}",
                number(found.rows, language),
                percent(found.median, language),
                percent(found.at_90, language),
                percent(found.lean, language, signed=True),
                number(found.far, language),
            )
        )
    off = t("Off by more than {share}", share=percent(FAR, language))
    columns = (field, t("Rows"), t("Median"), t("90th percentile"), t("Lean"), off)
    return table(t("{title}: errors by {field}", title=source.title, field=field), columns, lines)
