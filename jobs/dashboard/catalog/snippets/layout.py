"""Nested values in the syntax that JSON, Python and JavaScript share, wrapped if they are long, and exact literals."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inference.core.contracts import Json


def json_text(text: str) -> str:
    return '"' + "".join(_json_character(character) for character in text) + '"'


def _json_character(character: str) -> str:
    return json.dumps(character, ensure_ascii=not character.isprintable())[1:-1]


def python_text(text: str) -> str:
    literal = repr(text)
    # Python itself chooses single quotes. If double quotes work as well, the product's programs use them.
    return f'"{literal[1:-1]}"' if literal.startswith("'") and '"' not in text else literal


def shell_text(text: str) -> str:
    if all(character.isprintable() or character == "\n" for character in text):
        return "'" + text.replace("'", r"'\''") + "'"
    return "$'" + "".join(_shell_character(character) for character in text) + "'"


def _shell_character(character: str) -> str:
    if character.isprintable():
        return "\\" + character if character in "\\'" else character
    return "".join(f"\\{byte:03o}" for byte in character.encode(errors="replace"))


WIDTH = 88


@dataclass(frozen=True)
class Style:
    scalar: Callable[[Json], str]
    """The function that writes a value without parts in the language."""
    step: int = 2
    """The number of spaces by which inner values are indented further."""


def laid_out(value: Json, style: Style, *, indent: int = 0, before: int = 0) -> str:
    """Return the text of a value. `before` is the number of characters before it on its line, after the indent."""
    line = _on_one_line(value, style.scalar)
    if not value or not isinstance(value, dict | list) or indent + before + len(line) <= WIDTH:
        return line
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    inner = " " * (indent + style.step)
    items = f",\n{inner}".join(_items(value, style, indent + style.step))
    return f"{opening}\n{inner}{items}\n{' ' * indent}{closing}"


def _items(value: dict[str, Json] | list[Json], style: Style, indent: int) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            name = f"{style.scalar(key)}: "
            yield name + laid_out(item, style, indent=indent, before=len(name))
    elif any(isinstance(item, dict | list | str) for item in value):
        for item in value:
            yield laid_out(item, style, indent=indent)
    else:
        yield from _full_lines([style.scalar(item) for item in value], WIDTH - indent)


def _full_lines(numbers: list[str], width: int) -> Iterator[str]:
    """Put as many numbers on a line as fit, with the comma that follows, because numbers are many and short."""
    line = ""
    for number in numbers:
        if line and len(line) + len(number) + len(", ,") > width:
            yield line
            line = ""
        line = f"{line}, {number}" if line else number
    yield line


def _on_one_line(value: Json, scalar: Callable[[Json], str]) -> str:
    if isinstance(value, dict):
        pairs = (f"{scalar(key)}: {_on_one_line(item, scalar)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_on_one_line(item, scalar) for item in value) + "]"
    return scalar(value)
