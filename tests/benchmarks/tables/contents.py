"""Fills the cells of made-up tables: heads, labels, numbers, dates, texts, totals and subheadings."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.benchmarks.documents.wording.sentences import Wording

MAX_COLUMNS, MAX_ROWS = 8, 25
NUMBERS = frozenset({"whole", "decimal", "percent", "money"})


@dataclass(frozen=True)
class Entry:
    """A cell that is to be printed."""

    row: int
    column: int
    text: str
    row_span: int = 1
    column_span: int = 1
    header: bool = False
    bold: bool = False
    align: str = ""
    """Where it stands in its column, if it is not as the column says."""


@dataclass(frozen=True)
class Contents:
    rows: int
    aligns: tuple[str, ...]
    """For each column left, right, center or decimal."""
    entries: tuple[Entry, ...]
    header_rows: int


def contents(chance: random.Random, wording: Wording, *, drawn: bool, columns: int = MAX_COLUMNS) -> Contents:
    """Return cells by chance. Cells that span rows need a drawn grid to be seen."""
    count = chance.randint(2, columns)
    kinds = ["label", *(chance.choice((*sorted(NUMBERS), "whole", "date", "code", "text")) for _ in range(count - 1))]
    if kinds.count("text") > 2 or count > 5:
        kinds = [kind if kind != "text" else "whole" for kind in kinds]
    if count == 2 and kinds[1] == "text":
        kinds[1] = "money"
    groups = chance.random() < 0.5 and count > 3
    header = _header(chance, wording, kinds, groups=groups, drawn=drawn)
    body = _body(chance, wording, kinds, 2 if groups else 1, drawn=drawn)
    rows = 1 + max(entry.row + entry.row_span - 1 for entry in (*header, *body))
    return Contents(rows, _aligns(chance, kinds), (*header, *body), 2 if groups else 1)


def _aligns(chance: random.Random, kinds: list[str]) -> tuple[str, ...]:
    numbers, texts = chance.choice(("right", "right", "decimal", "center")), chance.choice(("left", "left", "center"))
    return ("left", *(numbers if kind in NUMBERS else texts for kind in kinds[1:]))


HEADS = ("{abstract^}", "{city}", "{year}", "{abstract^} in {year}", "{thing^}", "{month}")
LABELS = ("{city}", "{thing^}", "{person}", "{street}", "{firm}", "{service^}")


def _head(wording: Wording) -> str:
    return wording.fill(wording.chance.choice(HEADS))


def _header(chance: random.Random, wording: Wording, kinds: list[str], *, groups: bool, drawn: bool) -> list[Entry]:
    count = len(kinds)
    low = [Entry(int(groups), column, _head(wording), header=True, bold=True) for column in range(count)]
    if chance.random() < 0.3:
        low[0] = replace(low[0], text="")
    if not groups:
        return low
    high, start = [], 1
    while start < count:
        width = min(chance.choice((2, 2, 3)), count - start)
        width += count - start - width == 1
        high.append(Entry(0, start, _head(wording), 1, width, header=True, bold=True, align="center"))
        start += width
    if drawn and low[0].text:
        low[0] = replace(low[0], row=0, row_span=2)
    return [*high, *low]


def _body(chance: random.Random, wording: Wording, kinds: list[str], first: int, *, drawn: bool) -> list[Entry]:
    count, empty = len(kinds), chance.choice((0.0, 0.0, 0.06, 0.2))
    height, sections = chance.randint(2, MAX_ROWS - first - 1), chance.random() < 0.25 and count > 2
    spans = drawn and not sections and count > 2 and chance.random() < 0.3
    entries: list[Entry] = []
    row, last, spanned = first, first + height, first
    while row < last:
        if sections and (row - first) % 6 == 0 and last - row > 2:
            entries.append(Entry(row, 0, _head(wording), 1, count, bold=True, align=chance.choice(("left", "center"))))
            row += 1
        for column, kind in enumerate(kinds):
            if column == 0 and spans:
                if row >= spanned:
                    size = min(chance.choice((1, 2, 3)), last - row)
                    entries.append(Entry(row, 0, _value(chance, wording, kind), size, 1))
                    spanned = row + size
            elif column == 0 or chance.random() >= empty:
                entries.append(Entry(row, column, _value(chance, wording, kind)))
        row += 1
    if chance.random() < 0.3:
        entries.append(Entry(row, 0, "Total" if wording.language == "en" else "Summe", bold=True))
        sums = [column for column, kind in enumerate(kinds) if kind in NUMBERS]
        entries += [Entry(row, column, _value(chance, wording, kinds[column]), bold=True) for column in sums]
    return entries


def _value(chance: random.Random, wording: Wording, kind: str) -> str:
    german = wording.language == "de"
    values: dict[str, Callable[[], str]] = {
        "whole": lambda: _pointed(
            f"{chance.choice((chance.randint(0, 99), chance.randint(100, 99_999))):,}", german=german
        ),
        "decimal": lambda: _pointed(f"{chance.uniform(-20, 900):.{chance.choice((1, 2))}f}", german=german),
        "percent": lambda: _pointed(f"{chance.uniform(0, 100):.1f}%", german=german),
        "money": lambda: wording.amount(chance.randint(900, 2_500_000)),
        "date": lambda: f"{chance.randint(1, 28):02}.{chance.randint(1, 12):02}.{chance.randint(2015, 2026)}",
        "code": lambda: wording.fill("{number}"),
        "text": lambda: " ".join((wording.pick("thing"), wording.pick("place"))[: chance.choice((1, 1, 2))]),
        "label": lambda: wording.fill(chance.choice(LABELS)),
    }
    return values[kind]()


def _pointed(number: str, *, german: bool) -> str:
    return number.translate(str.maketrans(".,", ",.")) if german else number
