"""What the pages read: a stretch of the newest jobs, and a stretch of one job's pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from inference.registry.models import ServedModel
from inference.registry.selectors import active_models
from jobs.documents.selectors import as_uuid
from jobs.errors import NotFound
from jobs.models import Document, DocumentPage, Job, Page
from jobs.selectors import jobs_with_models

JOBS_SHOWN = 20
PAGES_SHOWN = 20


@dataclass(frozen=True)
class JobStretch:
    jobs: list[Job]
    older: UUID | None
    """Read on before this id; None at the end."""


@dataclass(frozen=True)
class PageStretch:
    pages: list[Page]
    pictures: Mapping[int, DocumentPage]
    """By page number; a page that no worker has opened yet has none."""


def newest_jobs(before: str | None) -> JobStretch:
    """NotFound where `before` is not an id. Inputs sent inline stay behind: they may be megabytes each."""
    jobs = jobs_with_models().select_related("document").defer("input")
    if before is not None:
        last = as_uuid(before)
        if last is None:
            raise NotFound(f"There are no jobs before {before[:60]!r}.")
        jobs = jobs.filter(id__lt=last)
    found = list(jobs[: JOBS_SHOWN + 1])
    shown = found[:JOBS_SHOWN]
    return JobStretch(shown, shown[-1].id if len(found) > JOBS_SHOWN else None)


def job_with_document(job_id: str) -> Job:
    wanted = as_uuid(job_id)
    jobs = jobs_with_models().select_related("document").defer("input")
    job = jobs.filter(id=wanted).first() if wanted else None
    if job is None:
        raise NotFound(f"There is no job {job_id[:60]!r}.")
    return job


def pages_after(job: Job, number: int) -> PageStretch:
    pages = list(job.pages.filter(number__gt=number).order_by("number")[:PAGES_SHOWN])
    return PageStretch(pages, _pictures(job.document, [page.number for page in pages]))


def _pictures(document: Document | None, numbers: list[int]) -> dict[int, DocumentPage]:
    if document is None:
        return {}
    rendered = document.pages.filter(number__in=numbers).exclude(picture="")
    return {page.number: page for page in rendered.only("document", "number", "width_px", "height_px")}


def models_for_documents() -> list[ServedModel]:
    """`parse` first, because it is what most people want done with a document."""
    served = active_models().filter(accepts__contains=["document"], state=ServedModel.State.ACTIVE)
    return sorted(served, key=lambda model: model.name != "parse")
