"""Finds numbers with a unit that were typed into a lesson by hand instead of printed by the model."""

import re

UNITS = (
    r"GB|GiB|MB|MiB|TB|TiB|KB|KiB|bytes?|%|percent|×|billion|million|trillion|GPUs?|cards?|layers?|samples?|parameters?"
    r"|TFLOPS?|TFLOP/s|GB/s|tokens?|steps?"
)
NUMBER = re.compile(rf"(?<![\w.,])\d(?:[\d.,]*\d)?(?:\s|\u00a0|&nbsp;|-)?(?:{UNITS})(?![\w])")
# Code, front matter, comments, tags with their attributes, and facts say their numbers themselves.
QUIET = re.compile(r"\A---\n.*?\n---\n|```.*?```|`[^`\n]*`|<!--.*?-->|<[^>]*>|\{\{.*?\}\}", re.DOTALL)


def typed_numbers(markdown: str) -> list[str]:
    """Each finding as "line: text"; empty where every number comes from the model."""
    quiet = QUIET.sub(lambda match: re.sub(r"[^\n]", "\x00", match[0]), markdown)
    return [f"{quiet.count(chr(10), 0, match.start()) + 1}: {match[0]}" for match in NUMBER.finditer(quiet)]
