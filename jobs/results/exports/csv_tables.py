"""A job's tables as CSV for spreadsheets: one below the other, with an empty line between two."""

import csv
import io
import re
from collections.abc import Iterator

from jobs.results.exports.job_export import JobExport
from jobs.results.exports.joined_tables import TablePart, table_parts
from tenants.core.csv_cells import safe

BYTE_ORDER_MARK = "\ufeff".encode()
"""The first bytes of the file. Without them, Excel takes the letters for those of another encoding."""
_SIGNED_NUMBER = re.compile(r"[-+]\d[\d.,]*")
"""A number, whose sign begins no formula."""


def csv_blocks(export: JobExport) -> Iterator[bytes]:
    for position, part in enumerate(table_parts(export)):
        begins_anew = position and not part.continues
        yield (b"" if position else BYTE_ORDER_MARK) + (b"\r\n" if begins_anew else b"")
        yield from _lines(part)


def _lines(part: TablePart) -> Iterator[bytes]:
    for cells in part.rows():
        row = [""] * part.columns
        for cell, _ in cells:
            row[cell.column] = cell.text if _SIGNED_NUMBER.fullmatch(cell.text) else safe(cell.text)
        written = io.StringIO()
        csv.writer(written).writerow(row)
        yield written.getvalue().encode()
