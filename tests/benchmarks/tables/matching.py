"""Pairs the tables that were found on a page with those that are there, by the words that they share."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from inference.tables.table import Table

MIN_SHARED = 0.5
"""The share of the words of the smaller table that both have, at least."""


@dataclass(frozen=True)
class Matches:
    pairs: tuple[tuple[Table, Table | None], ...]
    """Each table that is there, with the one found for it."""
    others: tuple[Table, ...]
    """The tables that were found and match none."""


def match(found: Sequence[Table], wanted: Sequence[Table]) -> Matches:
    left, pairs = list(found), list[tuple[Table, Table | None]]()
    for table in wanted:
        words = _words(table)
        best = max(left, key=lambda each: (_words(each) & words).total(), default=None)
        if best is None:
            pairs.append((table, None))
            continue
        known = _words(best)
        is_same = (known & words).total() >= MIN_SHARED * max(1, min(words.total(), known.total()))
        pairs.append((table, best if is_same else None))
        if is_same:
            left.remove(best)
    return Matches(tuple(pairs), tuple(left))


def _words(table: Table) -> Counter[str]:
    return Counter(word for cell in table.cells for word in cell.text.split())
