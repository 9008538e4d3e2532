"""The places of a document that a person should check. This module makes no queries."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jobs.dashboard.reading.fields import places_of
from jobs.dashboard.reading.lines import SURE, is_doubtful, is_recognized, read_lines
from jobs.dashboard.reading.opinions import warning_views
from jobs.dashboard.reading.tables import cell_place
from jobs.dashboard.reading.tabs import FIELDS, TABLES, TEXT
from jobs.fields.doubt import is_unsure
from jobs.results.exports.page_blocks import tables_in_text
from jobs.results.page_tables import page_tables

WHOLE_PAGE = "page"


@dataclass(frozen=True)
class Doubt:
    page: int
    place: str
    """The name that links the place with its box, such as `w1` for a warning, `f-total` for a field and `t1c1` for a
    cell; the number of a line, or `page`.
    """
    tab: str = TEXT.name
    """The tab that shows it."""


def doubts_of(
    page: int, result: Mapping[str, Any], corrected: Collection[int], cells: Collection[tuple[int, int]] = ()
) -> list[Doubt]:
    """Return the doubtful places of a page. Lines in `corrected`, by index, and `cells`, by table and index, are
    settled. Of a table that stands in the text, cells are doubtful and not lines.

    A page that needs review without any such place is one place itself, unless a person has corrected it.
    """
    warnings = [warning.place for warning in warning_views(result) if warning.box is not None]
    recognized = is_recognized(result)
    lines = [line for line in read_lines(result) if is_doubtful(line)] if recognized else []
    settled = {*corrected, *frozenset().union(*tables_in_text(result).values())} if lines else ()
    unsettled = [str(line.index + 1) for line in lines if line.index not in settled]
    found = [Doubt(page, place) for place in (*warnings, *unsettled)]
    found += [Doubt(page, place, TABLES.name) for place in _cells(result, cells)] if recognized else []
    if not found and not corrected and result.get("needs_review") is True:
        return [Doubt(page, WHOLE_PAGE)]
    return found


def doubtful_fields(fields: Mapping[str, Any] | None) -> list[Doubt]:
    """Return the unsure fields of a document, each with its page."""
    found, warnings = (fields or {}).get("fields", []), (fields or {}).get("warnings", [])
    both = zip(places_of(found), found, strict=True)
    return [Doubt(field["page"], place, FIELDS.name) for place, field in both if is_unsure(field, warnings)]


def _cells(result: Mapping[str, Any], settled: Collection[tuple[int, int]]) -> Iterator[str]:
    for one in page_tables(result):
        for index, cell in enumerate(one.table.cells):
            if cell.text and cell.confidence < SURE and (one.index, index) not in settled:
                yield cell_place(one.index, index)
