"""Finds what the class set and own fields of a tenant say about a job, before the transaction in which it ends.

That takes a second for hundreds of pages, and in this time the row of the job must not be locked. The transaction that
ends a page counts it first. If the job ends by it and has to be searched, the transaction is rolled back, the stored
pages are searched, and the page is ended again. Under the lock, it is only checked that pages, class and definitions
are those that were searched. A crash in between leaves nothing behind.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from inference.own_fields.definition import OwnField
from jobs.class_sets.classifying import Classes, classes_of_job
from jobs.core.document_class import DocumentClass, Probabilities
from jobs.core.models import Job
from jobs.own_fields.definitions import definitions_of
from jobs.own_fields.finding import of_class, results_of
from jobs.queue.document_classes import decided_class
from jobs.queue.document_fields import fields_in
from tenants.core.db.unit_of_work import unit_of_work

MAX_TRIES = 5
"""The most searches for one end. Each was in vain only because another page ended or a definition changed."""
Written = TypeVar("Written")


class FindingsOutdated(Exception):
    """A job ends, and was not searched with the pages, class and definitions that it ends with."""


@dataclass(frozen=True, slots=True)
class LastPage:
    """A page by which a job ends. Its result is not stored with it yet."""

    number: int
    probabilities: Probabilities | None
    result: Callable[[], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Findings:
    pages_succeeded: int
    """The number of succeeded pages that were searched. They stay, so as many pages are the same pages."""
    classes: Classes | None
    document_class: DocumentClass | None
    own: Sequence[OwnField]
    """The definitions that were searched for, which are those of the class of the document."""
    fields: Mapping[str, Any] | None
    """The fields as they were read, if own ones were searched for."""

    def fit(self, document_class: DocumentClass | None, own: Sequence[OwnField]) -> bool:
        """Return whether they were found for this class and with these definitions."""
        return self.own == own and _decision(self.document_class) == _decision(document_class)


def _decision(found: DocumentClass | None) -> tuple[str, bool]:
    return (found.label, found.corrected) if found else ("", False)


def with_findings(
    tenant_id: UUID, job_id: UUID, write: Callable[[Findings | None], Written], page: LastPage | None = None
) -> Written:
    """Call `write`, which ends a page in one transaction, and call it again with what it misses for the end of the job.

    It raises FindingsOutdated in its transaction if the job ends and was not searched, or meanwhile has changed.
    """
    findings: Findings | None = None
    for _ in range(MAX_TRIES):
        try:
            return write(findings)
        except FindingsOutdated:
            findings = find(tenant_id, job_id, page)
    return write(findings)


def find(tenant_id: UUID, job_id: UUID, page: LastPage | None = None) -> Findings | None:
    """Search a job as it is now, with one more page. Return None if there is no such job.

    No transaction is open while it is searched, since Postgres ends those that stand still.
    """
    with unit_of_work(tenant_id):
        # The pages are counted before they are read: if one ends in between, the count shows that they are others.
        job = Job.objects.filter(id=job_id).only("tenant_id", "livemode", "class_set", "pages_succeeded").first()
        more = {page.number: page.result()} if page else {}
    if job is None:
        return None
    classes = classes_of_job(job, more) if job.class_set else None
    probabilities = {page.number: page.probabilities} if page and page.probabilities is not None else {}
    with unit_of_work(tenant_id):
        document_class = decided_class(job_id, job.class_set, classes, probabilities)
        label = document_class.label if document_class else ""
        own = of_class(definitions_of(tenant_id, livemode=job.livemode), label)
        results = results_of(job_id, more=more) if own else []
    fields = fields_in(results, own, document_class) if own else None
    return Findings(job.pages_succeeded + len(more), classes, document_class, own, fields)
