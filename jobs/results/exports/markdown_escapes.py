r"""Escapes characters that Markdown would take for markup, and no others: `1 < 2`, `a_b` and `C:\dir` stay as they are.

Markdown is that of CommonMark with the tables, strikethrough and task lists of GitHub. This module is pure.
"""

import re
from collections.abc import Iterator

_PUNCTUATION = r"[!-/:-@\[-`{-~]"
_ANYWHERE = re.compile(
    rf"\\(?={_PUNCTUATION}|$|\n)"  # an escape, or a line break
    r"|<(?=[A-Za-z/!?])"  # a tag or a link
    r"|&(?=#?\w+;)"  # a character reference
    r"|!(?=\[)"
    r"|\[(?=\^|[ xX]\])",  # a footnote or a task
)
_LINE_START = re.compile(
    r"^(?:(#)(?=\#{0,5}(?:\s|$))"  # a heading
    r"|(>)"  # a quotation
    r"|([-+*])(?=\s|$)"  # a list
    r"|\d{1,9}([.)])(?=\s|$))",  # a numbered list
    re.MULTILINE,
)
_RULED = re.compile(r"^(?:[-=]+|(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,}|[-:|\s]*-[-:|\s]*)$", re.MULTILINE)
"""A line that underlines a heading or a table, or parts sections."""
_LINK_END = re.compile(r"\](?=[(\[:])")
_MARKS = re.compile(r"\*+|_+|~+")
_FENCE = re.compile(r"^~{3,}", re.MULTILINE)


def escaped(text: str, *, emphasized: bool = False) -> str:
    """Return the text of a block so that Markdown shows it as it is. Its line breaks stay where they are.

    No line may be empty or begin or end with white space. `emphasized` is set if the text stands between asterisks.
    """
    places = sorted({place for places in _places(text, emphasized) for place in places})
    parts = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
    return "\\".join(parts)


def escaped_heading(text: str) -> str:
    """Return a line that may follow `#`. Number signs at its end would be taken away."""
    return re.sub(r"(^|\s)(#+)$", r"\1\\\2", escaped(text))


def _places(text: str, emphasized: bool) -> Iterator[list[int]]:
    yield [found.start() for found in _ANYWHERE.finditer(text)]
    yield [found.start(found.lastindex or 0) for found in _LINE_START.finditer(text)]
    for found in _RULED.finditer(text):
        yield [place for place in range(found.start(), found.end()) if text[place] in "-=*_"]
    for found in _FENCE.finditer(text):
        yield list(range(found.start(), found.end()))
    yield _link_starts(text)
    yield _backticks(text)
    for mark in "_~" if emphasized else "*_~":
        yield _emphasis(text, mark)
    if emphasized:
        yield [place for place, char in enumerate(text) if char == "*"]


def _link_starts(text: str) -> list[int]:
    """Return the brackets that may begin a link or the definition of one."""
    last = max((found.start() for found in _LINK_END.finditer(text)), default=0)
    return [place for place in range(last) if text[place] == "["]


def _backticks(text: str) -> list[int]:
    """Return the backticks. A single one begins no code."""
    places = [place for place, char in enumerate(text) if char == "`"]
    return places if len(places) > 1 else []


def _emphasis(text: str, mark: str) -> list[int]:
    """Return the marks from the first that may begin emphasis to the last that may end it."""
    runs = [found for found in _MARKS.finditer(text) if found[0][0] == mark and not _is_inert(text, found)]
    begins = [number for number, run in enumerate(runs) if _after(text, run)]
    ends = [number for number, run in enumerate(runs) if _before(text, run)]
    between = runs[min(begins, default=len(runs)) : max(ends, default=-1) + 1]
    return [place for run in between for place in range(run.start(), run.end())]


def _is_inert(text: str, run: re.Match[str]) -> bool:
    """Return whether the marks stand between white space, or underscores within a word."""
    before, after = _before(text, run), _after(text, run)
    if run[0][0] == "_" and before.isalnum() and after.isalnum():
        return True
    return not before and not after


def _before(text: str, run: re.Match[str]) -> str:
    return text[max(0, run.start() - 1) : run.start()].strip()


def _after(text: str, run: re.Match[str]) -> str:
    """Return the character after the marks, if it is no white space. At the end of a line, a backslash may follow."""
    char = text[run.end() : run.end() + 1]
    return "\\" if char == "\n" else char.strip()
