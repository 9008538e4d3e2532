"""Reads the tables of a page from its result, and whether the first goes on from the page before. This module is pure.

An added model may return anything under these names. Tables that make no sense count as none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inference.tables.continuation import continues
from inference.tables.table import Table
from jobs.results.pictures.turns import number

MAX_PLACES = 1_000_000
"""The most places in the grids of a page's tables."""
_AT_THE_TOP = frozenset({"header", "page_number"})
_AT_THE_BOTTOM = frozenset({"footer", "page_number", "footnote"})

Result = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PageTable:
    index: int
    """The position in the `tables` of the result."""
    table: Table


def page_tables(result: Result) -> list[PageTable]:
    """Return the tables that make sense, in reading order."""
    given = result.get("tables")
    found: list[PageTable] = []
    places = 0
    for index, one in enumerate(given if isinstance(given, list | tuple) else ()):
        table = sound_table(one)
        places += table.rows * table.columns if table else 0
        if table and places <= MAX_PLACES:
            found.append(PageTable(index, table))
    return found


def sound_table(given: object) -> Table | None:
    """Return the table with its cells, or None if its numbers make no sense."""
    if not isinstance(given, Mapping):
        return None
    try:
        table = Table.of_json(given)
    except (KeyError, TypeError, ValueError, IndexError, OverflowError):
        return None
    return table if _is_sound(table) else None


def _is_sound(table: Table) -> bool:
    return (
        table.rows > 0
        and table.columns > 0
        and table.rows * table.columns <= MAX_PLACES
        and all(
            cell.row >= 0
            and cell.column >= 0
            and cell.row_span >= 1
            and cell.column_span >= 1
            and cell.row + cell.row_span <= table.rows
            and cell.column + cell.column_span <= table.columns
            for cell in table.cells
        )
    )


def begins_with_table(result: Result) -> bool:
    return _first(result) is not None


def continued_index(before: Result, after: Result) -> int | None:
    """Return the position of the table of `after` that goes on from the last table of the page before, if any does."""
    first, last = _first(after), _last(before)
    if first is None or last is None:
        return None
    one, other = _table(before, last), _table(after, first)
    if one is None or other is None:
        return None
    return first if continues(one, _width(before), other, _width(after)) else None


def with_continuation(result: Result, before: Result) -> dict[str, Any]:
    """Return the result with `continues` set in the table that goes on from the page before."""
    index = continued_index(before, result)
    if index is None:
        return dict(result)
    tables = [{**one, "continues": True} if at == index else one for at, one in enumerate(result["tables"])]
    return {**result, "tables": tables}


def _first(result: Result) -> int | None:
    return _table_at_edge(_blocks(result), _AT_THE_TOP)


def _last(result: Result) -> int | None:
    return _table_at_edge(_blocks(result)[::-1], _AT_THE_BOTTOM)


def _blocks(result: Result) -> Sequence[Any]:
    given = result.get("blocks")
    return given if isinstance(given, list) else ()


def _table_at_edge(blocks: Sequence[Any], left_out: frozenset[str]) -> int | None:
    """Return the position of the table of the first block that is not left out, or None if it is no table."""
    for block in blocks:
        type_ = block.get("type") if isinstance(block, Mapping) else None
        if isinstance(type_, str) and type_ in left_out:
            continue
        index = block.get("table") if type_ == "table" else None
        return index if type(index) is int else None
    return None


def _table(result: Result, index: int) -> Table | None:
    tables = result.get("tables")
    if not isinstance(tables, list) or not 0 <= index < len(tables):
        return None
    return sound_table(tables[index])


def _width(result: Result) -> float:
    return number(result.get("width")) or 0.0
