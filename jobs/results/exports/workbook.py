"""A job's tables as an Excel workbook, with a sheet for each table."""

from typing import BinaryIO

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from inference.tables.table import Cell
from jobs.results.exports.cell_numbers import cell_number
from jobs.results.exports.export_slots import ExportTooLarge
from jobs.results.exports.job_export import JobExport
from jobs.results.exports.joined_tables import TablePart, table_parts
from tenants.core.own_folder import own_folder

MAX_SHEETS = 1_000
MAX_CELLS = 200_000
"""The most cells of a workbook, which are in memory until it is written."""
MAX_ROWS = 1_048_576
MAX_COLUMNS = 16_384
MAX_CELL_CHARACTERS = 32_767
"""The most characters that Excel takes in a cell."""
MAX_WIDTH = 60
MIN_WIDTH = 8


def workbook_options() -> dict[str, object]:
    """Return the options of a workbook, which makes no formulas and links of texts."""
    return {"tmpdir": str(own_folder()), "strings_to_formulas": False, "strings_to_urls": False}


def write_workbook(target: BinaryIO, export: JobExport) -> None:
    workbook = Workbook(target, workbook_options())
    sheets = Sheets(workbook, export)
    for part in table_parts(export):
        sheets.write(part)
    sheets.finish()
    workbook.close()


class Sheets:
    """The sheets of a workbook that is being written, one after the other."""

    def __init__(self, workbook: Workbook, export: JobExport) -> None:
        self._workbook = workbook
        self._export = export
        self._formats: dict[tuple[bool, str], Format] = {}
        self._sheet: Worksheet | None = None
        self._row = 0
        self._widths: dict[int, int] = {}
        self._sheets = self._cells = 0

    def write(self, part: TablePart) -> None:
        """Write a table, below the one before if it goes on from there."""
        if self._sheet is None or not part.continues:
            self._begin(part)
        sheet = self._sheet
        assert sheet is not None
        if part.columns > MAX_COLUMNS or self._row + part.table.rows > MAX_ROWS:
            self._refuse(f"Table {part.number} of page {part.page} does not fit on a sheet of Excel", part)
        offset = self._row - part.skipped_rows
        for cells in part.rows():
            for cell, is_header in cells:
                self._write_cell(sheet, offset, cell, bold=is_header, part=part)
            self._row += 1

    def finish(self) -> None:
        """Set the widths of the columns of the last sheet."""
        for column, width in self._widths.items():
            if self._sheet is not None:
                self._sheet.set_column(column, column, min(MAX_WIDTH, max(MIN_WIDTH, width + 2)))
        self._widths = {}

    def _begin(self, part: TablePart) -> None:
        self.finish()
        self._sheets += 1
        if self._sheets > MAX_SHEETS:
            self._refuse(f"These pages have more than {MAX_SHEETS:,} tables", part)
        self._sheet = self._workbook.add_worksheet(f"Page {part.page} table {part.number}")
        self._row = 0
        if 0 < part.table.header_rows < part.table.rows:
            self._sheet.freeze_panes(part.table.header_rows, 0)

    def _write_cell(self, sheet: Worksheet, offset: int, cell: Cell, *, bold: bool, part: TablePart) -> None:
        self._cells += cell.row_span * cell.column_span
        if self._cells > MAX_CELLS:
            self._refuse(f"The tables of these pages have more than {MAX_CELLS:,} cells", part)
        row, text = offset + cell.row, fitting(cell.text)
        found = None if bold else cell_number(text)
        look = self._format(bold, found.pattern if found else "")
        if cell.row_span > 1 or cell.column_span > 1:
            sheet.merge_range(row, cell.column, row + cell.row_span - 1, cell.column + cell.column_span - 1, "", look)
        else:
            longest = max(map(len, text.split("\n")))
            self._widths[cell.column] = max(self._widths.get(cell.column, 0), longest)
        if found:
            sheet.write_number(row, cell.column, found.value, look)
        else:
            sheet.write_string(row, cell.column, text, look)

    def _format(self, bold: bool, pattern: str) -> Format:
        if (bold, pattern) not in self._formats:
            look = {"bold": bold, "valign": "top", "text_wrap": not pattern, "num_format": pattern or "@"}
            self._formats[bold, pattern] = self._workbook.add_format(look)
        return self._formats[bold, pattern]

    def _refuse(self, what: str, part: TablePart) -> None:
        last = max(self._export.pages.first, part.page - 1)
        raise ExportTooLarge(
            f"{what}. Use CSV, or request a part, for example ?pages={self._export.pages.first}-{last}."
        )


def fitting(text: str) -> str:
    """Return a text that Excel takes. A longer one ends with an ellipsis; CSV and JSON have all of it."""
    text = "".join(character for character in text if character >= " " or character in "\n\t")
    return text if len(text) <= MAX_CELL_CHARACTERS else f"{text[: MAX_CELL_CHARACTERS - 1]}…"
