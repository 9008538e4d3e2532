"""The fields of many documents as one file: a row for each document, and one for each line item."""

import csv
import io
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from importlib import import_module
from types import MappingProxyType
from typing import BinaryIO
from uuid import UUID

from django.conf import settings
from django.db import connections
from django.db.models import QuerySet
from django.utils import timezone

from jobs.core.models import Job
from jobs.fields.table import AFTER, BEFORE, ITEMS, Column, TableJob, Value, document_row, field_columns, item_rows
from jobs.own_fields.names import known_titles
from jobs.results.exports.csv_tables import BYTE_ORDER_MARK
from jobs.results.exports.export_slots import ExportTooLarge
from jobs.results.exports.services import BEING_BUILT, CSV, XLSX, ExportedFile
from jobs.search.services import name_of
from tenants.core.csv_cells import safe
from tenants.core.db.unit_of_work import APP, Acting, unit_of_work
from tenants.core.own_folder import own_folder

MAX_DOCUMENTS = 10_000
STRETCH = 200
"""The number of documents whose fields are in memory at a time."""
DOCUMENTS, LINE_ITEMS = "documents", "items"
_NAMES = """
SELECT DISTINCT field ->> 'name'
FROM jobs_job job, jsonb_array_elements(job.fields -> 'fields') field
WHERE job.tenant_id = %(tenant)s AND job.id = ANY (%(jobs)s)
"""


@dataclass(frozen=True)
class FieldTable:
    """The documents of a table, oldest first, and the columns of their fields."""

    tenant_id: UUID
    job_ids: Sequence[UUID]
    columns: Sequence[Column]

    @property
    def titles(self) -> list[Column]:
        return [*BEFORE, *self.columns, *AFTER]

    def jobs(self) -> Iterator[TableJob]:
        """Read each stretch in one transaction. A job that was erased in the meantime is left out."""
        for first in range(0, len(self.job_ids), STRETCH):
            ids = self.job_ids[first : first + STRETCH]
            with unit_of_work(self.tenant_id):
                jobs = Job.objects.filter(id__in=ids, erased_at=None).select_related("document").defer("input")
                found = [_described(job) for job in jobs.order_by("id")]
            yield from found


def field_table(whose: Acting, jobs: "QuerySet[Job]") -> FieldTable:
    """Return the table of these jobs. Call this inside a unit of work."""
    ids = list(jobs.order_by("id").values_list("id", flat=True)[: MAX_DOCUMENTS + 1])
    if len(ids) > MAX_DOCUMENTS:
        raise ExportTooLarge(
            f"More than {MAX_DOCUMENTS:,} documents match. Narrow the filter, for example to a month by "
            "field.issue_date.from and field.issue_date.to."
        )
    with connections[APP].cursor() as cursor:
        cursor.execute(_NAMES, {"tenant": whose.tenant_id, "jobs": ids})
        names = [name for (name,) in cursor.fetchall()]
    return FieldTable(whose.tenant_id, ids, field_columns(names, known_titles()))


def _described(job: Job) -> TableJob:
    return TableJob(
        id=str(job.id),
        name=name_of(job) or "Text without a file",
        state=job.state,
        label=job.class_label,
        submitted_at=job.created_at,
        pages=job.pages_total,
        link=f"{settings.MAAS_PUBLIC_URL}/jobs/{job.id}",
        fields=job.fields,
    )


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
