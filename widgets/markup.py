"""The HTML of a widget as the build writes it: complete and readable before any script runs."""

import json
from html import escape

from . import api, foot
from .foot import Place
from .messages import N_, Messages, messages
from .registry import BY_NAME
from .spec import Choice, Slider, Widget


def widget_html(
    name: str,
    *,
    given: dict,
    prefix: str,
    locale: str,
    strings: dict[str, str],
    place: Place | None = None,
    rank: int = 3,
) -> str:
    """The element for one widget tag.

    ``given``: control values that the tag sets; ``prefix``: what sets its link parameters apart, "" for none;
    ``strings``: the runtime's texts in the reader's language; ``rank``: of the heading. Raises ``Invalid`` for a wrong
    value.
    """
    place = place or Place()
    widget, language = BY_NAME[name], messages(locale)
    api.read_params(widget, json.dumps(given), language)
    seed = api.render(name, json.dumps(given), locale)
    view = json.loads(seed)
    uid = f"{prefix}-{name}" if prefix else name
    layout = view["figure"]["layout"]["meta"]
    return "".join(
        (
            f'<shard-widget name="{name}" data-stage="idle" data-revision="0" data-locale="{locale}"',
            foot.attributes(place),
            f' data-prefix="{escape(prefix)}">' if prefix else ">",
            f'<figure class="sw" role="figure" aria-labelledby="{uid}-title">',
            _head(widget, uid, rank, language),
            '<div class="sw-body">',
            _controls(widget, uid, view, place, language),
            _readouts(view),
            '<div class="sw-stage">',
            _legend(view),
            f'<div class="sw-chart" role="img" aria-label="{escape(view["summary"])}"',
            f' style="--h:{layout["height"]}px;--h-narrow:{layout["height_narrow"]}px">',
            '<div class="sw-plot"></div></div>',
            f'<noscript data-search-exclude><p class="sw-noscript">{_t(language, NO_SCRIPT)}</p></noscript>',
            f'<p class="sw-lost" hidden data-search-exclude>{_t(language, LOST)} <span class="sw-lost-file"></span>',
            f' <button type="button" class="sw-reload">{_t(language, N_("Reload the page"))}</button></p>',
            "</div></div>",
            f'<figcaption class="sw-caption">{escape(view["caption"])}</figcaption>',
            _table(view["table"], uid, language),
            foot.status(language),
            foot.actions(widget, uid, place, language),
            _template("sw-seed", seed),
            _template("sw-strings", json.dumps(strings, ensure_ascii=False)),
            "</figure></shard-widget>",
        )
    )


# Shown where a file of the browser's half did not come: see docs/templates/partials/rescue.html.
LOST = N_(
    "The chart and its controls do not work: part of this page's script did not arrive or could not be run. The values "
    "and the table below are complete without it."
)
NO_SCRIPT = N_("The chart and its controls need JavaScript. The values and the table below are complete without it.")


def _t(language: Messages, text: str) -> str:
    return escape(language.t(text))


def _head(widget: Widget, uid: str, rank: int, language: Messages) -> str:
    title = f'<h{rank} class="sw-title" id="{uid}-title">{_t(language, widget.title)}</h{rank}>'
    return f'<header class="sw-head">{title}<p class="sw-question">{_t(language, widget.question)}</p></header>'


def _controls(widget: Widget, uid: str, view: dict, place: Place, language: Messages) -> str:
    parts = [
        (
            '<form class="sw-controls" novalidate data-search-exclude>'
            f'<p class="sw-instruction">{_t(language, widget.instruction)}</p>'
        )
    ]
    for control in widget.controls:
        value = view["params"][control.name]
        write = _slider if isinstance(control, Slider) else _choice
        # Its default is another one where a link from here may lead.
        named = value != control.default or control.name in place.named
        parts.append(write(control, f"{uid}-{control.name}", value, " data-named" if named else "", language))
    return "".join((*parts, "</form>"))


def _slider(control: Slider, uid: str, value: int, more: str, language: Messages) -> str:
    stops, label = control.stops, _t(language, control.label)
    nearest = min(range(len(stops)), key=lambda index: abs(stops[index] - value))
    exact = language.t("{label}, exact number", label=language.t(control.label))
    texts = json.dumps([control.text(stop, language) for stop in stops], ensure_ascii=False)
    return (
        f'<div class="sw-control" data-control="{control.name}"{more} data-kind="slider" data-default="{value}"'
        f' data-min="{control.least}" data-max="{control.most}" data-stops="{json.dumps(stops)}"'
        f' data-texts="{escape(texts)}">'
        f'<label class="sw-label" for="{uid}">{label}</label>'
        f'<input class="sw-range" type="range" id="{uid}" min="0" max="{len(stops) - 1}" step="1" value="{nearest}"'
        f' aria-valuetext="{escape(control.text(value, language))}" aria-describedby="{uid}-help">'
        f'<input class="sw-number" type="number" inputmode="numeric" min="{control.least}" max="{control.most}"'
        f' step="1" value="{value}" aria-label="{escape(exact)}"'
        f' aria-describedby="{uid}-error">'
        f'<p class="sw-help" id="{uid}-help">{_t(language, control.help)}</p>'
        f'<p class="sw-field-error" id="{uid}-error" hidden></p></div>'
    )


def _choice(control: Choice, uid: str, value: str, more: str, language: Messages) -> str:
    options = "".join(
        f'<label class="sw-option"><input type="radio" name="{uid}" value="{token}"'
        f"{' checked' if token == value else ''}>"
        f"<span>{_t(language, label)}</span></label>"
        for token, label in control.options.items()
    )
    return (
        f'<fieldset class="sw-control" data-control="{control.name}"{more} data-kind="choice" data-default="{value}">'
        f'<legend class="sw-label">{_t(language, control.label)}</legend>{options}</fieldset>'
    )


def _readouts(view: dict) -> str:
    items = "".join(
        f'<div class="sw-readout{" sw-readout--main" if item["main"] else ""}" data-key="{item["key"]}"'
        f' data-state="{item["state"]}"><dt>{escape(item["label"])}</dt>'
        f'<dd><span class="sw-value">{escape(item["value"])}</span>'
        f' <span class="sw-note">{escape(item["note"])}</span></dd></div>'
        for item in view["readouts"]
    )
    return f'<dl class="sw-readouts">{items}</dl>'


def _legend(view: dict) -> str:
    items = "".join(
        f'<li><span class="sw-swatch" data-role="{item["role"]}"></span>{escape(item["label"])}</li>'
        for item in view["legend"]
    )
    return f'<ul class="sw-legend" data-search-exclude>{items}</ul>'


def _table(table: dict, uid: str, language: Messages) -> str:
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in table["columns"])
    rows = "".join(
        f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in rest)}</tr>'
        for first, *rest in table["rows"]
    )
    return (
        f'<details class="sw-data" data-search-exclude><summary>{_t(language, N_("Data table"))}</summary>'
        f'<div class="sw-scroll" tabindex="0" role="region" aria-label="{escape(table["caption"])}">'
        f'<table class="sw-table" id="{uid}-table"><caption>{escape(table["caption"])}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></details>"
    )


def _template(name: str, text: str) -> str:
    # A script block would be run by instant navigation; a template is inert. "<" must not open a tag inside it.
    return f'<template class="{name}" data-search-exclude>{escape(text, quote=False)}</template>'
