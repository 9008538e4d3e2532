"""The fields of many documents as one file: a row for each document, and one for each line item."""

import csv
import io
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from importlib import import_module
from types import MappingProxyType
from typing import BinaryIO

from django.utils import timezone

from jobs.fields.table import ITEMS, Value, document_row, item_rows
from jobs.results.exports.csv_tables import BYTE_ORDER_MARK
from jobs.results.exports.field_table import FieldTable
from jobs.results.exports.services import BEING_BUILT, CSV, XLSX, ExportedFile
from tenants.core.csv_cells import safe
from tenants.core.own_folder import own_folder

DOCUMENTS, LINE_ITEMS = "documents", "items"


def csv_file(table: FieldTable, rows: str = DOCUMENTS) -> ExportedFile:
    """Return the documents or their line items as CSV. The first row has names for programs."""
    return _file(table, CSV.suffix, CSV.content_type, lambda target: target.writelines(_csv_lines(table, rows)))


def workbook_file(table: FieldTable) -> ExportedFile:
    """Return a workbook with a sheet of documents and one of line items."""

    def write(target: BinaryIO) -> None:
        import_module("jobs.results.exports.field_workbook").write_field_workbook(target, table)

    return _file(table, XLSX.suffix, XLSX.content_type, write)


FILES: Mapping[str, Callable[[FieldTable], ExportedFile]] = MappingProxyType(
    {CSV.suffix: csv_file, XLSX.suffix: workbook_file}
)


def file_name(suffix: str, now: datetime) -> str:
    return f"fields-{now:%Y-%m-%d-%H%M}.{suffix}"


def _file(table: FieldTable, suffix: str, content_type: str, write: Callable[[BinaryIO], None]) -> ExportedFile:
    with BEING_BUILT.taken(table.tenant_id):
        file = tempfile.TemporaryFile(dir=own_folder(), prefix="fields-")  # noqa: SIM115  # closed by its reader
        try:
            write(file)
            file.seek(0)
        except BaseException:
            file.close()
            raise
    return ExportedFile(file, file_name(suffix, timezone.now()), content_type)


def _csv_lines(table: FieldTable, rows: str) -> Iterator[bytes]:
    titles = table.titles if rows == DOCUMENTS else ITEMS
    yield BYTE_ORDER_MARK + _line([column.name for column in titles])
    for job in table.jobs():
        for row in [document_row(job, table.columns)] if rows == DOCUMENTS else item_rows(job):
            yield _line(map(_text, row))


def _line(cells: Iterable[str]) -> bytes:
    written = io.StringIO()
    csv.writer(written).writerow(cells)
    return written.getvalue().encode()


def _text(value: Value) -> str:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal | int):
        return f"{value:f}" if isinstance(value, Decimal) else str(value)
    return safe(value or "")
