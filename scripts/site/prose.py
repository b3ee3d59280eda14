"""Numbers in sentences: ``{{ states(zero=1) }}`` becomes "41.25 GB", computed by the model when the site is built.

An argument is a value, or a name of the running example: ``{{ states(zero=1, gpus=many_gpus) }}``.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from model.catalog import EXAMPLE
from model.facts import FACTS
from widgets.format import number, quantity
from widgets.messages import messages

from .place import Source

CALL = re.compile(r"\{\{(.+?)\}\}", re.DOTALL)
FILTERS = ("number",)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCall:
    """One use of a fact: its name, its arguments, and whether the unit is left out."""

    name: str
    arguments: dict
    bare: bool


def expand(source: Source, locale: str) -> str:
    """The page's text with every fact printed; stops the build at an unknown fact, argument or filter."""

    def printed(match: re.Match) -> str:
        try:
            call = parse(match[1])
            amount = FACTS[call.name](**call.arguments)
        except (KeyError, LookupError, TypeError, ValueError) as error:
            raise source.error(match.start(), f"{match[0]}: {error}") from error
        language = messages(locale)
        return number(amount.value, language) if call.bare else quantity(amount, language)

    return CALL.sub(printed, source.text)


def calls(text: str) -> Iterator[FactCall]:
    """Every use of a fact in a text."""
    return (parse(match[1]) for match in CALL.finditer(text))


def parse(expression: str) -> FactCall:
    """Reads ``name``, ``name(argument=value)`` and either with ``| number``; raises ValueError with what is wrong."""
    body, _, wanted = expression.partition("|")
    if wanted.strip() and wanted.strip() not in FILTERS:
        raise ValueError(f"there is no filter {wanted.strip()!r}; there is {', '.join(FILTERS)}")
    try:
        node = ast.parse(body.strip(), mode="eval").body
    except SyntaxError as error:
        raise ValueError("write it as name or name(argument=value)") from error
    name_node, keywords = (node.func, node.keywords) if isinstance(node, ast.Call) and not node.args else (node, [])
    if not isinstance(name_node, ast.Name):
        raise ValueError("write it as name or name(argument=value)")
    if name_node.id not in FACTS:
        near = get_close_matches(name_node.id, FACTS, n=1)
        raise ValueError(f"unknown fact{f'; did you mean {near[0]}?' if near else ''}")
    arguments = {keyword.arg: _value(keyword.value) for keyword in keywords}
    return FactCall(name=name_node.id, arguments=arguments, bare=bool(wanted.strip()))


def _value(node: ast.expr) -> object:
    if isinstance(node, ast.Name):
        if not hasattr(EXAMPLE, node.id):
            raise ValueError(f"the running example has no {node.id}")
        return getattr(EXAMPLE, node.id)
    return ast.literal_eval(node)
