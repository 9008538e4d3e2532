"""Tests that messages write names and values for people, and that no message of the product shows how Python writes a
list.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenants.core.messages import names_in_words, sizes_in_words, value_in_words
from tests.docs.product import PROJECT, sources

HOLDERS = {"sorted", "list", "tuple", "set", "frozenset", "dict"}
HELD = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SIZES = {"shape", "dims"}
"""A list of numbers is written alike by Python and in JSON."""


@pytest.mark.parametrize(
    ("names", "words"),
    [([], "none"), (["a"], "'a'"), (["a", "b"], "'a', 'b'"), (list("abcdefghijkl"), "'j' and 2 more")],
)
def test_names_are_quoted_and_bounded(names: list[str], words: str) -> None:
    assert names_in_words(names).endswith(words)
    assert len(names_in_words(["x" * 500])) < 70


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        ("a", "'a'"),
        ("x" * 500, f"'{'x' * 60}'"),
        ({"a": 1}, "an object"),
        ([None], "a list"),
        (10**300, "1" + "0" * 59),
    ],
)
def test_values_are_written_as_in_json(value: object, words: str) -> None:
    assert value_in_words(value) == words


def test_a_shape_is_written_as_in_json_whatever_stands_in_it() -> None:
    assert sizes_in_words([2, -1, None, "a", [1]]) == "[2, -1, null, 'a', a list]"


def is_held(node: ast.expr, known: set[str]) -> bool:
    """Say whether this is something that holds others, or a None, True or False."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=args):
            return name in HOLDERS and not any(name_of(one) in SIZES for one in args)
        case ast.Call(func=ast.Attribute(attr=method)):
            return method in {"keys", "values", "items"}
        case ast.Subscript(value=inner, slice=ast.Slice()):
            return is_held(inner, known)
        case ast.Constant(value=value):
            return value is None or isinstance(value, bool)
    return isinstance(node, HELD) or name_of(node) in known


def name_of(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def assigned(function: ast.AST) -> set[str]:
    """Return the names to which the function assigns something that holds others."""
    pairs: list[tuple[ast.expr, ast.expr]] = []
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=given)):
                pairs += zip(names, given, strict=False)
            case ast.Assign(targets=[name], value=value):
                pairs.append((name, value))
    return {name.id for name, value in pairs if isinstance(name, ast.Name) and is_held(value, set())} - SIZES


def written_as_python_does(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text())
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        told = [node for node in ast.walk(function) if isinstance(node, ast.Raise | ast.Return)]
        written = [node for one in told for node in ast.walk(one) if isinstance(node, ast.FormattedValue)]
        known = assigned(function) if written else set()
        for node in written:
            if is_held(node.value, known):
                yield f"{path.relative_to(PROJECT)}:{node.lineno} {ast.unparse(node.value)}"


def test_no_error_writes_a_list_as_python_does() -> None:
    assert [found for path in sources() for found in written_as_python_does(path)] == []
