"""The fields of many documents as an Excel workbook: a sheet of documents, and one of their line items."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import BinaryIO

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from jobs.fields.table import ITEMS, Column, Value, document_row, item_rows
from jobs.results.exports.export_slots import ExportTooLarge
from jobs.results.exports.field_table import FieldTable
from jobs.results.exports.workbook import fitting, workbook_options

MAX_ITEMS = 500_000
"""The most line items of a workbook. A sheet of Excel has twice as many rows."""
WIDTHS: Mapping[str, int] = {
    "document": 32,
    "supplier": 28,
    "buyer": 28,
    "iban": 26,
    "warnings": 40,
    "description": 44,
    "link": 12,
    "job": 38,
}
USUAL_WIDTH = 15


def write_field_workbook(target: BinaryIO, table: FieldTable) -> None:
    # Each row is written to a file as soon as the next begins, so that the workbook is never in memory.
    workbook = Workbook(target, {**workbook_options(), "constant_memory": True})
    documents = _Sheet(workbook, "Documents", table.titles)
    items = _Sheet(workbook, "Line items", ITEMS)
    for job in table.jobs():
        documents.write(document_row(job, table.columns), links={len(table.titles) - 2: job.link})
        for row in item_rows(job):
            items.write(row)
        if items.row > MAX_ITEMS:
            raise ExportTooLarge(f"These documents have more than {MAX_ITEMS:,} line items. Narrow the filter.")
    documents.finish()
    items.finish()
    workbook.close()


class _Sheet:
    """A sheet that is being written, row by row."""

    def __init__(self, workbook: Workbook, name: str, columns: Sequence[Column]) -> None:
        self._sheet: Worksheet = workbook.add_worksheet(name)
        self._columns = columns
        self._formats: dict[type, Format] = {
            str: workbook.add_format({"num_format": "@", "valign": "top"}),
            date: workbook.add_format({"num_format": "yyyy-mm-dd", "valign": "top"}),
            Decimal: workbook.add_format({"num_format": "#,##0.00", "valign": "top"}),
            int: workbook.add_format({"num_format": "0", "valign": "top"}),
        }
        self._quantity = workbook.add_format({"num_format": "General", "valign": "top"})
        bold = workbook.add_format({"bold": True})
        for position, column in enumerate(columns):
            self._sheet.set_column(position, position, WIDTHS.get(column.name, USUAL_WIDTH))
            self._sheet.write_string(0, position, column.title, bold)
        self._sheet.freeze_panes(1, 1)
        self.row = 1

    def write(self, values: Sequence[Value], links: Mapping[int, str] | None = None) -> None:
        for position, value in enumerate(values):
            if links and position in links:
                self._sheet.write_url(self.row, position, links[position], string="Open")
            elif value is not None and value != "":
                self._write(position, value)
        self.row += 1

    def finish(self) -> None:
        """Let people filter the rows."""
        self._sheet.autofilter(0, 0, max(1, self.row - 1), len(self._columns) - 1)

    def _write(self, position: int, value: str | Decimal | date | int) -> None:
        if isinstance(value, date):
            self._sheet.write_datetime(self.row, position, value, self._formats[date])
        elif isinstance(value, Decimal):
            plain = self._columns[position].name in ("quantity", "tax_rate")
            self._sheet.write_number(self.row, position, value, self._quantity if plain else self._formats[Decimal])
        elif isinstance(value, int):
            self._sheet.write_number(self.row, position, value, self._formats[int])
        else:
            self._sheet.write_string(self.row, position, fitting(value), self._formats[str])
