"""Reads the examples from the documents.

A fenced block of `sh` or `python` is run; the `json` block that follows it is the shape of what it prints. A `json`
block under `<!-- sent: POST /v1/jobs -->` is sent there, value by value. Under `<!-- first page of: {…} -->` it is the
shape of that job's first page. A block under `<!-- not run: why -->` is skipped.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent
from typing import Any

from tests.docs.product import read

RUN = {"sh", "python"}
EXAMPLES = RUN | {"json"}
_BLOCK = re.compile(r"(?:^ *<!-- ([^\n]*?) -->\n)?^( *)```(\w*)\n(.*?)^\2```$", re.MULTILINE | re.DOTALL)
_ELLIPSIS = "…"


@dataclass(frozen=True)
class Block:
    document: str
    line: int
    language: str
    text: str
    note: str
    """The text of the comment right above the block."""

    @property
    def name(self) -> str:
        return f"{self.document}:{self.line}"

    @property
    def is_run(self) -> bool:
        return self.language in RUN and not self.note.startswith("not run: ")


def blocks(document: str) -> Iterator[Block]:
    text = read(document)
    for match in _BLOCK.finditer(text):
        line = text.count("\n", 0, match.start(3)) + 1
        yield Block(document, line, match[3], dedent(match[4]), match[1] or "")


def answers(document: str) -> dict[str, Block]:
    """Return the JSON blocks that follow examples that are run, by the example's name."""
    found, before = {}, None
    for block in blocks(document):
        if block.language == "json" and before is not None and before.is_run and not block.note:
            found[before.name] = block
        before = block
    return found


def values(block: Block) -> list[Any]:
    """Return the JSON values of a block, one after the other. An ellipsis stands for what is left out."""
    text = re.sub(r",\s*…", "", block.text).replace("[…]", "[]").replace("{…}", "{}")
    decoder, found = json.JSONDecoder(), []
    while text := text.lstrip():
        value, end = decoder.raw_decode(text)
        found.append(value)
        text = text[end:]
    return found


def misfit(example: Any, actual: Any, at: str = "") -> str | None:
    """Return the first difference between the response and the example's shape, or None. The response may have more."""
    if isinstance(example, dict):
        return _misfit_of_fields(example, actual, at)
    if isinstance(example, list):
        return _misfit_of_elements(example, actual, at)
    if example is None or _same_kind(example, actual):
        return None
    return f"{at} is {actual!r} and not like {example!r}"


def _misfit_of_fields(example: dict[str, Any], actual: Any, at: str) -> str | None:
    if not isinstance(actual, dict):
        return f"{at or 'the answer'} is no object"
    for name, value in example.items():
        if name == _ELLIPSIS:
            continue
        if name not in actual:
            return f"{at}.{name} is not there; there are {sorted(actual)}"
        if problem := misfit(value, actual[name], f"{at}.{name}"):
            return problem
    return None


def _misfit_of_elements(example: list[Any], actual: Any, at: str) -> str | None:
    if not isinstance(actual, list):
        return f"{at} is no list"
    unlike = [value for value in example if all(misfit(value, one) for one in actual)]
    return f"{at} has nothing like {unlike[0]}" if unlike else None


def _same_kind(example: object, actual: object) -> bool:
    if isinstance(example, bool) or isinstance(actual, bool):
        return isinstance(example, bool) and isinstance(actual, bool)
    return isinstance(actual, str) if isinstance(example, str) else isinstance(actual, int | float)
