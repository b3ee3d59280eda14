"""The generated parts of the page "How right is it?": read-outs, tables of the sources, limits."""

import statistics
from collections.abc import Collection
from html import escape

from model.step_report import ASSUMED, NOT_MODELLED
from tests.model.evidence.rankings import APART, RANKED, RANKED_MEDIAN
from tests.model.evidence.score import Summary
from tests.model.evidence.sources import EXACT, MEASURED
from widgets.format import number
from widgets.messages import Messages

from . import evidence
from .evidence_aims import aims
from .evidence_sections import held, links, sections
from .scatter import figure, percent
from .tables import table

CHAPTERS = ("memory", "speed", "messages")


def glance(language: Messages) -> str:
    """The whole page in three read-outs."""
    t, exact = language.t, evidence.scores()["exact"].values()
    readouts = [
        (
            t("Exact figures met"),
            t(
                "{met} of {all}",
                met=number(sum(met for met, _ in exact), language),
                all=number(sum(of for _, of in exact), language),
            ),
            t("{n} sources", n=number(len(exact), language)),
        )
    ]
    for chapter, label in (("memory", t("Measured memory")), ("speed", t("Measured speed"))):
        sources = [source for source in MEASURED if source.chapter == chapter]
        rows = [row for source in sources for row in evidence.rows_of(source)]
        medians = {source.key: Summary.of(evidence.rows_of(source)).median for source in sources}
        free = [medians[source.key] for source in sources if not source.set_here]
        note = language.tn(
            "median error of the {n} source that nothing was set on; of all {sources}, with {rows} rows, {all}",
            "median error of the {n} sources that nothing was set on, best to worst; of all {sources}, with {rows} rows, {all}",
            len(free),
            sources=number(len(sources), language),
            rows=number(len(rows), language),
            all=_spread(medians.values(), language),
        )
        readouts.append((label, _spread(free, language), note))
    cells = "".join(
        f'<div class="sw-readout"><dt>{escape(label)}</dt><dd><span class="sw-value">{escape(value)}</span>'
        f'<span class="sw-note">{escape(note)}</span></dd></div>'
        for label, value, note in readouts
    )
    return f'<dl class="sw-readouts ev-glance">{cells}</dl>'


def _spread(medians: Collection[float], language: Messages) -> str:
    """The least and the most of them, or the one."""
    least, most = (percent(find(medians), language) for find in (min, max))
    return least if least == most else language.t("{least} to {most}", least=least, most=most)


def overview(language: Messages) -> str:
    """One line for each measured source."""
    t = language.t
    words = {"memory": t("memory"), "speed": t("speed"), "messages": t("messages")}
    rows = []
    for source in MEASURED:
        found = Summary.of(evidence.rows_of(source))
        rows.append(
            (
                f'<a href="#{source.key}">{escape(source.title)}</a>',
                escape(words[source.chapter]),
                number(found.rows, language),
                percent(found.median, language),
                percent(found.at_90, language),
                percent(found.worst.error, language, signed=True),
                escape(held(source, language)),
                t("in sample") if source.set_here else t("held out"),
            )
        )
    columns = (
        t("Source"),
        t("Of"),
        t("Rows"),
        t("Median"),
        t("90th percentile"),
        t("Worst"),
        t("Held by the tests"),
        t("Sample"),
    )
    return _wide(table(t("Errors of all measured sources"), columns, rows))


def exact(language: Messages) -> str:
    """N of N for each source of exact figures."""
    t, found = language.t, evidence.scores()["exact"]
    rows = (
        (
            escape(source.title),
            t("{met} of {all}", met=number(found[source.key][0], language), all=number(found[source.key][1], language)),
            escape(source.rule),
            links(source.links),
        )
        for source in EXACT
    )
    return _wide(table(t("Exact figures"), (t("What"), t("Met"), t("How exactly"), t("Source")), rows, searched=True))


def rankings(language: Messages) -> str:
    """How well layouts of one model on one cluster are ranked."""
    t = language.t
    rows = (
        (
            escape(t("{billions} B on {gpus} GPUs", billions=figure(model, language), gpus=number(gpus, language))),
            number(layouts, language),
            number(round(value, 3), language),
        )
        for model, gpus, layouts, value in evidence.scores()["rankings"]
    )
    values = [value for *_, value in evidence.scores()["rankings"]]
    aim = t(
        "Over {groups} groups the median is {middle}, the lowest {lowest}. The tests hold the median at {median} or more, "
        "and name the few groups under {least}.",
        groups=number(len(values), language),
        middle=number(round(statistics.median(values), 2), language),
        lowest=number(round(min(values), 2), language),
        median=number(RANKED_MEDIAN, language),
        least=number(RANKED, language),
    )
    twins = evidence.scores()["twins"]
    again = t(
        "No prediction can order all of them: of the {twins} layouts that ran twice, with the same settings or with ZeRO-1 "
        "beside them, {apart} ran more than {times} times as fast the one time as the other, up to {most} times.",
        twins=number(len(twins), language),
        apart=number(sum(one > APART for one in twins), language),
        times=number(APART, language),
        most=number(round(max(twins)), language),
    )
    columns = (t("Model and cluster"), t("Layouts"), t("Rank correlation"))
    caption = t("Rank correlation of predicted and measured speed, by model and cluster")
    return (
        f'<p>{escape(aim)}</p><p>{escape(again)}</p><details class="sw-data ev-data"><summary>{escape(t("Data table"))}</summary>'
        f"{table(caption, columns, rows)}</details>"
    )


def limits(language: Messages) -> str:
    """What the report of a step says of itself, in its own words."""
    t = language.t
    lists = ((t("A step's time leaves out"), NOT_MODELLED), (t("A step's time assumes"), ASSUMED))
    return "".join(
        f"<p>{escape(title)}:</p><ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"
        for title, lines in lists
    )


def _wide(html: str) -> str:
    """A table whose words stay whole on a phone, where it scrolls sideways."""
    return f'<div class="ev-table">{html}</div>'


PARTS = {
    "evidence-glance": glance,
    "evidence-overview": overview,
    **{f"evidence-{name}": sections(name) for name in CHAPTERS},
    "evidence-rankings": rankings,
    "evidence-exact": exact,
    "evidence-aims": aims,
    "evidence-limits": limits,
}
