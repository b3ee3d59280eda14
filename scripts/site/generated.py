"""Pages that are written by the data they show: ``[[publications]]``, or ``[[modules units errors]]``, alone on a line."""

import re
from html import escape
from pathlib import Path

from model.catalog import EXAMPLE, GPUS, SOURCES
from model.recipe import PRESETS, named
from model.units import convert
from widgets.format import number
from widgets.messages import Messages, messages

from . import changelog, commands, evidence_parts, notices, reference, testing
from .place import Source
from .slots import Slots
from .tables import table

TAG = re.compile(r"^\[\[([a-z-]+)((?: \w+)*)\]\]$", re.MULTILINE)


def expand(source: Source, slots: Slots, locale: str) -> str:
    """The Markdown with a slot for every generated part; stops the build at a name that does not exist."""
    language = messages(locale)

    def slot(match: re.Match) -> str:
        name, arguments = match[1], match[2].split()
        if name == "modules":
            try:
                return slots.keep(reference.modules(arguments, Path(source.path).stem))
            except KeyError as error:
                raise source.error(match.start(), f"the model has no module {error}") from error
        if name not in PARTS or arguments:
            raise source.error(
                match.start(), f"nothing is generated under the name {name!r}; there is modules, {', '.join(PARTS)}"
            )
        return slots.keep(PARTS[name](language))

    return TAG.sub(slot, source.text)


def publications(language: Messages) -> str:
    """Every publication that a value or a formula comes from."""
    rows = ((f'<a href="{escape(source.url)}">{escape(source.title)}</a>', escape(source.what)) for source in SOURCES)
    return table(language.t("Publications"), (language.t("Source"), language.t("What was taken")), rows)


def cards(language: Messages) -> str:
    """Every card of the catalogue with the memory it really offers."""
    rows = (
        (
            escape(gpu.title),
            f"<code>{gpu.name}</code>",
            number(convert(gpu.capacity_bytes, "MiB"), language),
            number(convert(gpu.capacity_bytes, "GiB"), language),
            number(convert(gpu.capacity_bytes, "GB"), language),
            language.t("from the label") if gpu.from_label else language.t("read off nvidia-smi"),
            f'<a href="{escape(gpu.source.url)}">{escape(gpu.source.title.partition(",")[0].partition(":")[0])}</a>',
        )
        for gpu in GPUS.values()
    )
    columns = (
        language.t("Card"),
        language.t("Name in a plan"),
        "MiB",
        "GiB",
        "GB",
        language.t("Known"),
        language.t("Source"),
    )
    return table(language.t("Memory of the cards"), columns, rows)


def recipes(language: Messages) -> str:
    """Bytes a parameter costs under each preset; the sum is the model's."""
    rows = []
    for name, preset in PRESETS.items():
        recipe = named(name)
        parts = (
            recipe.weight_bytes,
            recipe.gradient_bytes,
            recipe.master_bytes,
            recipe.moment_bytes,
            recipe.total_bytes,
        )
        runs = ", ".join(map(str, preset.stages))
        rows.append((f"<code>{name}</code>", *(number(part, language) for part in parts), runs, escape(preset.source)))
    columns = (
        language.t("Preset"),
        language.t("Weights"),
        language.t("Gradients"),
        language.t("Master copy"),
        language.t("Moments"),
        language.t("Total"),
        language.t("ZeRO stages"),
        language.t("Source"),
    )
    return table(language.t("Bytes a parameter costs"), columns, rows)


def example(language: Messages) -> str:
    """The running example: the values that every page starts from."""
    paper = f'<a href="{escape(EXAMPLE.source.url)}">{escape(language.t("as in Figure 1 of the ZeRO paper"))}</a>'
    chosen = escape(language.t("chosen by this lesson"))
    rows = (
        (escape(language.t("Parameters")), number(EXAMPLE.parameters, language), paper),
        (escape(language.t("Preset")), f"<code>{EXAMPLE.preset}</code>", paper),
        (escape(language.t("Card")), f"<code>{EXAMPLE.card}</code>", chosen),
        (escape(language.t("Layers")), number(EXAMPLE.layers, language), chosen),
        (escape(language.t("Samples a GPU")), number(EXAMPLE.samples_per_gpu, language), chosen),
    )
    columns = (language.t("Value"), language.t("Here"), language.t("From"))
    return table(language.t("The running example"), columns, rows)


PARTS = {
    "publications": publications,
    "cards": cards,
    "recipes": recipes,
    "example": example,
    "notices": notices.html,
    "changelog": lambda _: changelog.html(),
    "commands": lambda _: commands.commands(),
    "exits": lambda _: commands.exits(),
    "glossary": lambda _: reference.glossary(),
    "fields": lambda _: commands.fields(),
    **evidence_parts.PARTS,
    **testing.PARTS,
}
