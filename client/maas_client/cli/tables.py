"""Tables of rows whose columns are as wide as their content."""

from collections.abc import Iterable, Sequence
from datetime import datetime


def print_table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    for line in table_lines(titles, rows):
        print(line)


def table_lines(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    lines = [list(titles), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(titles))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]


def when(moment: datetime) -> str:
    """Return a time in the reader's own time zone."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")
