"""The table of the fields of many documents: its documents, its columns, and the rows as they are read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db import connections
from django.db.models import QuerySet

from jobs.core.models import Job
from jobs.fields.table import AFTER, BEFORE, Column, TableJob, field_columns
from jobs.own_fields.names import known_titles
from jobs.results.exports.export_slots import ExportTooLarge
from jobs.search.services import name_of
from tenants.core.db.unit_of_work import APP, Acting, unit_of_work

MAX_DOCUMENTS = 10_000
STRETCH = 200
"""The number of documents whose fields are in memory at a time."""
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
