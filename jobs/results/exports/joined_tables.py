"""The tables of a job, page by page. A table that goes on over pages is one table, with its header once."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from inference.tables.continuation import repeated_header_rows
from inference.tables.table import Cell, Table
from jobs.results.exports.export_slots import ExportTooLarge, NoTables
from jobs.results.exports.job_export import ExportPage, JobExport
from jobs.results.exports.table_cells import placed_cells
from jobs.results.page_tables import continued_index, page_tables

MAX_PLACES = 2_000_000
"""The most places in the grids of all tables of an export, which bounds its size and time."""


@dataclass(frozen=True, slots=True)
class TablePart:
    """A table of a page, which may be a part of a longer one."""

    page: int
    number: int
    """The number of the table on its page, from 1."""
    table: Table
    continues: bool = False
    """Whether it goes on from the part before."""
    skipped_rows: int = 0
    """The rows at its top that repeat the header of the part before."""

    @property
    def columns(self) -> int:
        return self.table.columns

    def rows(self) -> Iterator[list[tuple[Cell, bool]]]:
        """Yield the cells of each row that is not skipped, and whether they are headers. Rows count from 0 anew.

        A cell that spans rows or columns is in its first place alone.
        """
        rows: list[list[tuple[Cell, bool]]] = [[] for _ in range(self.table.rows)]
        for cell, is_header in placed_cells(self.table):
            if cell.text:
                rows[cell.row].append((cell, is_header and not self.continues))
        yield from rows[self.skipped_rows :]


def table_parts(export: JobExport) -> Iterator[TablePart]:
    """Yield the tables in the order of pages. Raises NoTables if there are none, before anything is yielded."""
    before: Mapping[str, Any] | None = None
    last: Table | None = None
    places = 0
    for page in export.read():
        for part in _of_page(page, before, last):
            places += part.table.rows * part.table.columns
            if places > MAX_PLACES:
                last_page = max(export.pages.first, page.number - 1)
                raise ExportTooLarge(
                    f"The tables of these pages have more than {MAX_PLACES:,} places. "
                    f"Request a part, for example ?pages={export.pages.first}-{last_page}."
                )
            yield part
            last = part.table
        before = page.result
    if not places:
        raise NoTables(_no_tables(export))


def _of_page(page: ExportPage, before: Mapping[str, Any] | None, last: Table | None) -> Iterator[TablePart]:
    joined = continued_index(before, page.result) if before else None
    for number, found in enumerate(page_tables(page.result), 1):
        goes_on = found.index == joined and last is not None
        skipped = repeated_header_rows(last, found.table) if goes_on and last is not None else 0
        yield TablePart(page.number, number, found.table, goes_on, skipped)


def _no_tables(export: JobExport) -> str:
    first, last = export.pages.first, export.pages.last
    where = "this job" if export.pages.count == export.job.pages_total else f"pages {first} to {last} of this job"
    if export.missing:
        return f"No table was found in {where}. {export.remark}"
    return f"No table was found in {where}. Models that find tables, such as parse, answer `tables`."
