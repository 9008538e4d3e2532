"""Tries fields on the last documents of a tenant, and writes nothing. Call this in a unit of work."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from inference.own_fields.definition import OwnField
from jobs.core import states
from jobs.core.models import Job
from jobs.own_fields.finding import Result, of_class, results_of, values_of

MAX_DOCUMENTS = 50
MAX_PAGES_READ = 500
"""The most pages of a trial. With long documents it ends before it has tried as many documents as were requested."""
MAX_JOBS_SEEN = 4 * MAX_DOCUMENTS
"""The most jobs that are looked at. Some have no text, and some read a document again."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What fields have in a document. It is empty if nothing was found, or if the document is of another class."""

    job: Job
    values: Sequence[Mapping[str, Any]]
    in_class: bool


def read_jobs() -> "QuerySet[Job]":
    """Return the jobs that read a document, newest first."""
    read = (states.SUCCEEDED, states.PARTIALLY_SUCCEEDED)
    jobs = Job.objects.filter(state__in=read, erased_at=None, document__isnull=False)
    return jobs.select_related("document").defer("input").order_by("-id")


def tried(fields: Sequence[OwnField], *, livemode: bool, documents: int = MAX_DOCUMENTS) -> list[Tried]:
    """Return what the fields find in the last documents of their mode, newest first. Each document counts once."""
    found: list[Tried] = []
    pages = 0
    for job, results in _documents(livemode):
        own = of_class(fields, job.class_label)
        found.append(Tried(job, values_of(results, own), in_class=bool(own)))
        pages += len(results)
        if len(found) == documents or pages >= MAX_PAGES_READ:
            break
    return found


def _documents(livemode: bool) -> Iterator[tuple[Job, list[Result | None]]]:
    """Yield the last job of each document that has text, with its results."""
    seen = set()
    for job in read_jobs().filter(livemode=livemode)[:MAX_JOBS_SEEN]:
        if job.document_id in seen:
            continue
        results = results_of(job.id)
        if results:
            seen.add(job.document_id)
            yield job, results
