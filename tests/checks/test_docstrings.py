"""Docstrings say what a caller needs: the unit of what is counted, and which error a bad value raises."""

import ast
import re
from pathlib import Path

import pytest

MODEL = sorted((Path(__file__).resolve().parents[2] / "model").glob("*.py"))
# A name that ends in its unit, or is a degree, an axis or a count of the glossary in model/__init__.py, says it itself.
UNIT_NAME = re.compile(
    r"_(bytes|s|us|ns|gb|gib|mib|flops|tflops|frac|bytes_per_s|gb_per_s|us_per_\w+|elements|layers|tokens|ranks|stages|gpus|heads|dim)$"
    r"|^(bytes|dp|tp|pp|cp|ep|etp|vpp|zero|gpus|ranks|replicas|nodes|stages|stage|rank|layers|tokens|seq|micro_batch(es)?"
    r"|global_batch|parameters|params|seconds|flops|samples\w*|copies|steps|count|degree|m|p|per_node)$"
)
UNIT_WORD = re.compile(
    r"(?i)\b(bytes?|seconds|nanoseconds|microseconds|ns|FLOPs?|FLOP/s|tokens?|sequences?|layers?|ranks?|GPUs?|nodes?|rows|elements"
    r"|numbers?|parameters?|stages?|micro-batch(es)?|chunks?|how (many|often)|times|share|fraction|GB/s|GiB|GB|bytes/s"
    r"|steps?|pieces|units?|count|counts|columns?|heads|candidates|position|place|messages|milliseconds|µs|factor|status)\b"
)
NUMBERS = {
    "int",
    "float",
    "int | None",
    "float | None",
    "Fraction",
    "int | float",
    "Fraction | None",
    "int | float | Fraction",
}


def definitions(path):
    """Public functions and methods, with the words around a method's class, and public classes."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node, ""
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node, ""
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_"):
                    yield inner, ast.get_docstring(node) or ""


def raised(function):
    """Names of the errors that a function's own body raises."""
    for node in ast.walk(function):
        if isinstance(node, ast.Raise) and node.exc is not None:
            call = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            yield ast.unparse(call)


FUNCTIONS = [
    pytest.param(node, words, id=f"{path.stem}.{node.name}")
    for path in MODEL
    for node, words in definitions(path)
    if isinstance(node, ast.FunctionDef)
]
RECORDS = [
    pytest.param(path, node, id=f"{path.stem}.{node.name}")
    for path in MODEL
    for node, _ in definitions(path)
    if isinstance(node, ast.ClassDef)
]


@pytest.mark.parametrize("path", MODEL, ids=lambda path: path.stem)
def test_a_module_and_all_that_is_public_in_it_is_described(path):
    assert ast.get_docstring(ast.parse(path.read_text("utf-8")))
    assert [node.name for node, _ in definitions(path) if not ast.get_docstring(node)] == []


@pytest.mark.parametrize(("function", "words"), FUNCTIONS)
def test_a_function_that_refuses_says_what_it_raises(function, words):
    errors = {"Invalid" if name in ("Invalid", "unknown_value", "unknown_field") else name for name in raised(function)}
    said = ast.get_docstring(function)
    assert {name for name in errors if name != "AssertionError" and name not in said} == set()


@pytest.mark.parametrize(("function", "words"), FUNCTIONS)
def test_a_function_that_returns_a_number_says_its_unit(function, words):
    if function.returns is not None and ast.unparse(function.returns) in NUMBERS:
        said = f"{words} {ast.get_docstring(function)}"
        assert UNIT_NAME.search(function.name) or UNIT_WORD.search(said)


@pytest.mark.parametrize(("path", "record"), RECORDS)
def test_a_records_numbers_have_units(path, record):
    lines, said = path.read_text("utf-8").splitlines(), ast.get_docstring(record)
    bare = []
    for node in record.body:
        if not isinstance(node, ast.AnnAssign) or ast.unparse(node.annotation) not in NUMBERS:
            continue
        name = node.target.id
        told = "  # " in lines[node.lineno - 1] or f"``{name}``" in said
        if not (told or UNIT_NAME.search(name)):
            bare.append(name)
    assert bare == []
