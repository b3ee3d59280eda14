"""The part of the page "How right is it?" that lists what the model was to reach and does not."""

from html import escape

from tests.model.evidence.aims import RANKED_WHY, low_rankings, missed
from tests.model.evidence.rankings import RANKED
from tests.model.evidence.score import Summary
from tests.model.evidence.sources import MEASURED
from widgets.format import number
from widgets.messages import Messages

from . import evidence
from .evidence_sections import bound
from .scatter import figure, percent
from .tables import table


def aims(language: Messages) -> str:
    """Source, aim, what it is now and why, a line for each aim that is missed; those of the rankings in one."""
    t = language.t
    names = {"median": t("median"), "at_90": t("90th percentile"), "each": t("every row")}
    titles = {source.key: source.title for source in MEASURED}
    found = {source.key: Summary.of(evidence.rows_of(source)) for source in MEASURED}
    rows = [
        (
            f'<a href="#{aim.key}">{escape(titles[aim.key])}</a>',
            escape(t("{figure} at most {most}", figure=names[aim.figure], most=bound(aim.most, language))),
            percent(value, language),
            escape(aim.why),
        )
        for aim, value in missed(found)
    ]
    low = low_rankings({(model, gpus): (many, value) for model, gpus, many, value in evidence.scores()["rankings"]})
    if low:
        values = ", ".join(
            t(
                "{value} for {billions} B on {gpus} GPUs",
                value=number(round(value, 3), language),
                billions=figure(model, language),
                gpus=number(gpus, language),
            )
            for (model, gpus), value in low.items()
        )
        rows.append(
            (
                f'<a href="#ranking">{escape(t("Rankings of layouts"))}</a>',
                escape(t("every rank correlation at least {least}", least=number(RANKED, language))),
                escape(values),
                escape(RANKED_WHY),
            )
        )
    if not rows:
        return f"<p>{escape(t('Every aim is met.'))}</p>"
    columns = (t("Source"), t("Aim"), t("Now"), t("Why, as far as is known"))
    return f'<div class="ev-table">{table(t("Aims not met"), columns, rows)}</div>'
