"""Marks the words of a search in a page's lines. This module makes no queries."""

from collections.abc import Sequence

from jobs.search.excerpts import Part, marks_in
from jobs.search.queries import Query


def marked_lines(lines: Sequence[str], sought: Query) -> list[Sequence[Part]]:
    """Return each line in parts. A phrase that was searched for may be on two lines, and is marked on both."""
    marks = marks_in("\n".join(lines), sought) if sought.wanted else []
    found: list[Sequence[Part]] = []
    begin = 0
    for line in lines:
        end = begin + len(line)
        own = [(max(begin, start) - begin, min(end, stop) - begin) for start, stop in marks]
        found.append(_parts(line, [(start, stop) for start, stop in own if start < stop]))
        begin = end + 1
        marks = [mark for mark in marks if mark[1] > begin]
    return found


def _parts(line: str, marks: Sequence[tuple[int, int]]) -> list[Part]:
    parts, done = [], 0
    for start, stop in marks:
        parts += [Part(line[done:start], False), Part(line[start:stop], True)]
        done = stop
    parts.append(Part(line[done:], False))
    return [part for part in parts if part.text]
