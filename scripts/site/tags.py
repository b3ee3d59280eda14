"""``<shard-widget name="…">`` in a lesson becomes the complete widget; a wrong name or attribute stops the build."""

import re
from difflib import get_close_matches

from model.errors import Invalid
from widgets.foot import Place
from widgets.markup import widget_html
from widgets.registry import BY_NAME
from widgets.spec import Slider, Widget

from .numbers import version
from .place import Source
from .slots import Slots

TAG = re.compile(r"<shard-widget\b([^>]*)>(.*?)</shard-widget>", re.DOTALL)
ATTRIBUTE = re.compile(r'\s*([\w-]+)="([^"]*)"')
PREFIX = re.compile(r"[a-z][a-z0-9-]*")


def expand(source: Source, slots: Slots, *, locale: str, strings: dict[str, str], repository: str = "") -> str:
    """The page's Markdown with a slot for every widget."""
    prefixes: set[str] = set()

    def slot(match: re.Match) -> str:
        try:
            attributes = _attributes(match[1])
            widget = _widget(attributes.pop("name", None))
            prefix = _prefix(attributes.pop("prefix", ""), prefixes)
            given = {key: _value(widget, key, text) for key, text in attributes.items()}
            place = Place(version=version(widget.name), repository=repository)
            html = widget_html(widget.name, given=given, prefix=prefix, locale=locale, strings=strings, place=place)
        except Invalid as error:
            raise source.error(match.start(), str(error)) from error
        except ValueError as error:
            raise source.error(match.start(), f"<shard-widget>: {error}") from error
        return slots.keep(html)

    text = TAG.sub(slot, source.text)
    if "<shard-widget" in text:
        raise source.error(text.index("<shard-widget"), "<shard-widget> is not closed")
    return text


def standing(markdown: str) -> list[tuple[str, str, dict[str, str]]]:
    """The widgets of a page, in their order: name, prefix, and the values that the tag sets."""
    found = []
    for match in TAG.finditer(markdown):
        attributes = _attributes(match[1])
        name, prefix = attributes.pop("name", ""), attributes.pop("prefix", "")
        found.append((name, prefix, attributes))
    return found


def _attributes(text: str) -> dict[str, str]:
    rest = ATTRIBUTE.sub("", text).strip()
    if rest:
        raise ValueError(f'cannot read {rest!r}; write attributes as name="value"')
    return dict(ATTRIBUTE.findall(text))


def _widget(name: str | None) -> Widget:
    if name not in BY_NAME:
        near = get_close_matches(str(name), BY_NAME, n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise ValueError(f"unknown widget {name!r}; {meant}Widgets: {', '.join(BY_NAME)}")
    return BY_NAME[name]


def _prefix(prefix: str, taken: set[str]) -> str:
    if prefix and not PREFIX.fullmatch(prefix):
        raise ValueError(f"prefix {prefix!r} must be lower-case letters, digits and hyphens")
    if prefix in taken:
        raise ValueError('two widgets on a page would share their link parameters; give this one its own prefix="…"')
    taken.add(prefix)
    return prefix


def _value(widget: Widget, key: str, text: str) -> int | str:
    control = widget.control(key)
    if control is None:
        raise ValueError(f"{widget.name} has no control {key!r}; it has {', '.join(widget.defaults)}")
    return int(text) if isinstance(control, Slider) else text
