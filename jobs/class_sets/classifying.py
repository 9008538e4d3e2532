"""Gives a job, its pages and the documents in it the classes of a class set, from the stored results of its pages."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog

from inference.class_sets.class_set import Classified, ClassSet
from inference.class_sets.errors import ClassSetError
from inference.class_sets.page_features import PageFeatures, features_of
from inference.class_sets.segments import segments
from jobs.class_sets.models import ClassifiedJob, ClassSetVersion
from jobs.class_sets.reading import (
    MAX_CHARACTERS,
    Pages,
    deciding_pages,
    deciding_pages_of,
    page_features,
    stored_pages,
)
from jobs.class_sets.selectors import version_of_key
from jobs.core.models import Job
from tenants.core.db.unit_of_work import unit_of_work

log = structlog.get_logger(__name__)
MAX_PAGES = 500
"""The first pages of a file that are classed and split. More would delay the end of a job by seconds."""
MAX_SHOWN = 5
"""The most probable classes of each page that are stored."""
_DIGITS = 4
_EMPTY = features_of({})


@dataclass(frozen=True)
class Classes:
    label: str
    probabilities: Mapping[str, float]
    pages: Mapping[int, dict[str, Any]]
    segments: Sequence[dict[str, Any]]


def classes_of_job(job: Job, more: Mapping[int, Mapping[str, Any]]) -> Classes | None:
    """Return the classes that the class set of a job gives to it by its read pages.

    `more` are the results of pages that are not stored yet. None is returned if no page was read or if the set was
    deleted meanwhile. The pages are read in a unit of work of their own, since Postgres ends one that stands still.
    """
    with unit_of_work(job.tenant_id):
        version = version_of_key(job.class_set, tenant_id=job.tenant_id, livemode=job.livemode)
        stored = stored_pages(job.id, MAX_PAGES)
    if version is None:
        return None
    try:
        trained = ClassSet.from_json(version.trained)
    except ClassSetError as error:
        log.warning("class_set_unusable", class_set=job.class_set, job_id=str(job.id), error=str(error))
        return None
    pages = {number: page_features(json.loads(result)) for number, result in stored.items()}
    readable = {number: result for number, result in more.items() if number <= MAX_PAGES and "text" in result}
    pages |= {number: _features(result) for number, result in readable.items()}
    return classes_of(trained, pages) if pages else None


def _features(result: Mapping[str, Any]) -> PageFeatures:
    """Return the features of a result as those of a stored one are read: of its tables, only their number counts."""
    text, tables = result.get("text"), result.get("tables")
    number = len(tables) if isinstance(tables, list) else None
    return page_features({**result, "text": text[:MAX_CHARACTERS] if isinstance(text, str) else "", "tables": number})


def store_classes(job_id: UUID, *, tenant_id: UUID, class_set: str, found: Classes) -> None:
    """Store the classes of a job in the transaction that ends it."""
    ClassifiedJob.objects.create(
        tenant_id=tenant_id,
        job_id=job_id,
        class_set=class_set,
        label=found.label,
        probabilities=dict(found.probabilities),
        pages={str(number): page for number, page in found.pages.items()},
        segments=list(found.segments),
    )


def classes_of(trained: ClassSet, pages: Pages) -> Classes:
    """Return the classes of a file by the features of its pages. This is pure.

    Pages that were not read belong to the document before them, as blank ones do.
    """
    every = [pages.get(number, _EMPTY) for number in range(1, max(pages) + 1)]
    each = trained.classify(every).pages
    whole = trained.classify(deciding_pages(pages))
    split = segments(every, [page.probabilities for page in each], trained.min_probability)
    return Classes(
        whole.label,
        _rounded(whole.probabilities),
        {number: _page_json(each[number - 1]) for number, page in pages.items() if page.has_text},
        [_segment_json(trained, every, segment.first_page, segment.last_page, segment.confidence) for segment in split],
    )


def _page_json(found: Classified) -> dict[str, Any]:
    return {"label": found.label, "probabilities": _rounded(found.probabilities, MAX_SHOWN)}


def _segment_json(
    trained: ClassSet, pages: Sequence[PageFeatures], first: int, last: int, confidence: float
) -> dict[str, Any]:
    """Describe a document in a stack. Its class is decided by its own first pages, as that of a file is."""
    found = trained.classify(deciding_pages(dict(enumerate(pages[first - 1 : last]))))
    return {
        "first_page": first,
        "last_page": last,
        "class": found.label,
        "probability": round(max(found.probabilities.values()), _DIGITS),
        "confidence": confidence,
    }


def _rounded(probabilities: Mapping[str, float], most: int | None = None) -> dict[str, float]:
    """Return the probabilities, which are in order, the most probable first."""
    return {label: round(value, _DIGITS) for label, value in list(probabilities.items())[:most]}


def try_version(version: ClassSetVersion, job_ids: Sequence[UUID]) -> dict[UUID, tuple[str, dict[str, float]]]:
    """Return the class that a version gives to each job, without storing it. A job without text is `unsure`."""
    trained = ClassSet.from_json(version.trained)
    found = {job_id: trained.classify(pages) for job_id, pages in deciding_pages_of(job_ids).items()}
    return {job_id: (one.label, _rounded(one.probabilities)) for job_id, one in found.items()}
