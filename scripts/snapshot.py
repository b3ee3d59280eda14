"""Runs inside Pyodide just before its memory is saved: compute everything once, then make the memory small.

What was measured for each step stands in scripts/bench/README.md.
"""

import gc
import sys
from types import CodeType, FunctionType, ModuleType

from widgets import api, messages, registry

OURS = {"model", "widgets"}
LARGEST, SMALLEST = 1 << 20, 64
HAS_DOCSTRING = 0x4000000


def warm_up():
    """Call every widget in every language: what is not imported and read here, the browser could not read later."""
    for locale in ["en", *sorted(path.stem for path in messages.CATALOGUES.glob("*.mo"))]:
        for widget in registry.WIDGETS:
            api.render(widget.name, "{}", locale)


def without_text(code):
    """The same code without its docstring and its table of line numbers."""
    consts = [without_text(const) if isinstance(const, CodeType) else const for const in code.co_consts]
    if code.co_flags & HAS_DOCSTRING:
        consts[0] = ""
    return code.replace(co_consts=tuple(consts), co_linetable=b"")


def drop_texts():
    """Drop the standard library's docstrings and line numbers; errors in our own code keep theirs."""
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and str(thing.__module__).split(".")[0] not in OURS:
            thing.__code__ = without_text(thing.__code__)
            thing.__doc__ = None
        elif type(thing) is ModuleType and thing.__doc__:
            thing.__doc__ = None


def clear_free_memory():
    """Fill the gaps that freed objects left with zeros, which compress away.

    New objects take the gaps before they take new memory, so zeros are allocated until one lies past the end.
    """
    gc.collect()
    end = max(map(id, gc.get_objects()))
    kept = None
    size = LARGEST
    while size >= SMALLEST:
        zeros = bytes(size)
        if id(zeros) + size > end:
            size //= 2
        kept = (kept, zeros)
    while kept:  # one by one: the chain is too long to fall at once
        kept = kept[0]


warm_up()
drop_texts()
sys.path_importer_cache.clear()
clear_free_memory()
