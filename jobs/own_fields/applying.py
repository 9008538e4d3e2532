"""Writes the own fields of documents that were read before the fields were made or changed."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from inference.own_fields.definition import OwnField
from jobs.core.errors import JobErased
from jobs.core.models import Job
from jobs.documents.job_selectors import get_job
from jobs.fields.corrected import as_read, with_corrections
from jobs.fields.selectors import field_corrections
from jobs.own_fields.definitions import definitions_of
from jobs.own_fields.finding import of_class, results_of, values_of, with_own_fields
from jobs.own_fields.trials import read_jobs
from tenants.audit.services import record
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import NotFound
from tenants.identity.identity import Identity

MAX_JOBS = 50
MAX_PAGES_READ = 500
"""The most pages of a piece. With long documents a piece has fewer jobs than were requested."""


@dataclass(frozen=True, slots=True)
class Applied:
    """What a piece did. `cursor` is the job after which the next piece goes on, or None if none is left."""

    jobs: int
    changed: int
    cursor: UUID | None


def apply_fields(*, identity: Identity, after: UUID | None = None, jobs: int = MAX_JOBS) -> Applied:
    """Look for the fields in a piece of the documents that were read, newest first, each in its own transaction.

    It may be repeated, and end anywhere: a document that has its fields is not changed.
    """
    with unit_of_work(identity):
        fields = {mode: definitions_of(identity.tenant_id, livemode=mode) for mode in (True, False)}
        rows = read_jobs() if after is None else read_jobs().filter(id__lt=after)
        found = list(rows.values_list("id", flat=True)[: jobs + 1])
    seen = changed = pages = 0
    for job_id in found[:jobs]:
        if pages >= MAX_PAGES_READ:
            break
        with suppress(JobErased, NotFound):
            now_changed, read = _apply(identity, job_id, fields)
            changed, pages = changed + now_changed, pages + read
        seen += 1
    if changed:
        with unit_of_work(identity):
            record(tenant_id=identity.tenant_id, action="own_field.applied", note=f"{changed} of {seen} jobs changed")
    return Applied(seen, changed, found[seen - 1] if len(found) > seen else None)


def _apply(identity: Identity, job_id: UUID, fields: Mapping[bool, Sequence[OwnField]]) -> tuple[bool, int]:
    """Return whether the fields of the job changed, and the number of pages that were read."""
    with unit_of_work(identity):
        job = get_job(job_id, for_update=True)
        own = of_class(fields[job.livemode], job.class_label)
        results = results_of(job.id) if own else []
        read = with_own_fields(as_read(job.fields), values_of(results, own))
        wanted = with_corrections(read, field_corrections(job.id))
        if wanted != job.fields:
            Job.objects.filter(id=job.id).update(fields=wanted)
        return wanted != job.fields, len(results)
