"""The reference: ``[[modules units errors]]`` prints those modules of the model from their docstrings."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from html import escape

import griffe

from . import docstring, public

TAG = re.compile(r"^\[\[modules ([\w ]+)\]\]$", re.MULTILINE)
PAGES = "reference*.md"
Link = Callable[[str], str | None]


@cache
def homes() -> dict[str, str]:
    """Module name to the page that prints it."""
    pages = sorted((public.ROOT / "docs").glob(PAGES))
    return {
        name: page.stem
        for page in pages
        for match in TAG.finditer(page.read_text("utf-8"))
        for name in match[1].split()
    }


@cache
def anchors() -> dict[str, str]:
    """What has an entry, by path below the package: ``memory.Ledger`` to its module."""
    found = {}
    for name in homes():
        module = public.module(name)
        found[name] = name
        for each in public.own(module):
            found[f"{name}.{each.name}"] = name
            if each.is_class:
                found |= {f"{name}.{each.name}.{one.name}": name for one in public.own(each)}
    return found


@cache
def only() -> dict[str, str]:
    """A bare name to the one entry of the package that has it."""
    found: dict[str, list[str]] = {}
    for path in anchors():
        found.setdefault(path.rpartition(".")[2], []).append(path)
    return {bare: paths[0] for bare, paths in found.items() if len(paths) == 1}


def anchor(path: str) -> str:
    """The anchor of an entry: no heading of a page has one like it."""
    return f"{public.PACKAGE}.{path}"


def linker(page: str, module: str) -> Link:
    """Addresses as a page writes them; a bare name is the module's own, else the one of that name in the package."""

    def link(name: str) -> str | None:
        bare = name.removesuffix("()")
        for path in (f"{module}.{bare}", bare, only().get(bare)):
            if path in anchors():
                home = homes()[anchors()[path]]
                return f"#{anchor(path)}" if home == page else f"../{home}/#{anchor(path)}"
        return None

    return link


def modules(names: list[str], page: str) -> str:
    """Modules with all that is public in them; raises ``KeyError`` for one that does not exist."""
    printed = "".join(_module(name, page) for name in names)
    index = " ".join(f'<a href="#{anchor(name)}"><code>{name}</code></a>' for name in names)
    return f'<div class="ref" lang="en"><p class="ref-index" data-search-exclude>{index}</p>{printed}</div>'


def glossary() -> str:
    """The words of the whole package."""
    return f'<div class="ref" lang="en">{docstring.html(_words(public.package()), lambda _: None)}</div>'


def heading(rank: int, place: str, text: str) -> str:
    """A heading with its own link, as Markdown's have."""
    mark = f'<a class="headerlink" href="#{place}" title="Link to this section">&para;</a>'
    return f'<h{rank} id="{place}">{text}{mark}</h{rank}>'


def _module(name: str, page: str) -> str:
    module = public.module(name)
    if module is None:
        raise KeyError(name)
    link = linker(page, name)
    body = [heading(3, anchor(name), f"<code>{name}</code>"), docstring.html(_words(module), link)]
    rows = [_row(each, link) for each in public.constants(module)]
    if rows:
        body.append(f'<dl class="ref-fields">{"".join(rows)}</dl>')
    body += [_object(each, anchor(f"{name}.{each.name}"), link) for each in public.own(module)]
    return "".join(body)


def _object(thing: griffe.Object, place: str, link: Link) -> str:
    head = heading(4, place, f"<code>{thing.name}</code>")
    if thing.is_function:
        return head + _signature(thing, link) + docstring.html(_words(thing), link)
    rows = "".join(_row(each, link) for each in public.fields(thing))
    fields = f'<dl class="ref-fields">{rows}</dl>' if rows else ""
    methods = "".join(_method(each, f"{place}.{each.name}", link) for each in public.own(thing))
    return head + docstring.html(_words(thing), link) + fields + methods


def _method(thing: griffe.Function, place: str, link: Link) -> str:
    return f'<div class="ref-method" id="{place}">{_signature(thing, link)}{docstring.html(_words(thing), link)}</div>'


def _row(thing: griffe.Attribute, link: Link) -> str:
    """A field, property or constant: its name and type or value, and what the code says of it."""
    typed = "" if thing.annotation is None else _typed(thing.annotation, link)
    value = f"= {escape(public.brief(thing))}" if public.brief(thing) else ""
    words = docstring.html(_words(thing) or public.remark(thing), link)
    said = " ".join(filter(None, (typed, value)))
    return f"<dt><code>{thing.name}</code></dt><dd>{said and f'<code>{said}</code>'}{words}</dd>"


def _signature(thing: griffe.Function, link: Link) -> str:
    parts = list(_parameters(thing, link))
    gives = f" → {_typed(thing.returns, link)}" if thing.returns is not None else ""
    owner = f"{thing.parent.name}." if thing.parent.is_class and "classmethod" in thing.labels else ""
    return (
        f'<p class="ref-signature" data-search-exclude><code>{owner}{thing.name}({", ".join(parts)}){gives}</code></p>'
    )


def _parameters(thing: griffe.Function, link: Link) -> Iterator[str]:
    named = False
    for each in thing.parameters:
        if each.name in ("self", "cls"):
            continue
        if each.kind is griffe.ParameterKind.keyword_only and not named:
            yield "*"
        named = named or each.kind in (griffe.ParameterKind.keyword_only, griffe.ParameterKind.var_positional)
        star = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}.get(each.kind, "")
        typed = f": {_typed(each.annotation, link)}" if each.annotation is not None else ""
        default = f" = {escape(str(each.default))}" if each.default is not None and not star else ""
        yield f"<span>{star}{each.name}{typed}{default}</span>"


def _typed(annotation: str | griffe.Expr, link: Link) -> str:
    if isinstance(annotation, str):
        return escape(annotation)
    return "".join(_name(part, link) for part in annotation.iterate(flat=True))


def _name(part: str | griffe.ExprName, link: Link) -> str:
    if not isinstance(part, griffe.ExprName):
        return escape(str(part))
    path = part.canonical_path
    address = link(path.removeprefix("model.")) if path.startswith("model.") else None
    return f'<a href="{address}">{escape(part.name)}</a>' if address else escape(part.name)


def _words(thing: griffe.Object) -> str:
    return thing.docstring.value if thing.docstring else ""
