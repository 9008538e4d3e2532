"""The JSON of results: of a job, of a page, and of a cost."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from inference.pipelines.parse import FIELD_CANDIDATES
from jobs.class_sets.selectors import page_classes
from jobs.core.document_class import DOCUMENT
from jobs.core.models import Correction, Document, Job, Page
from jobs.corrected_results.selectors import correction_json, corrections_of
from jobs.fields.corrected import READ
from jobs.results.page_tables import begins_with_table, with_continuation
from jobs.results.pictures.turns import NOT_TURNED, turn_of
from jobs.results.schema_version import SCHEMA_VERSION
from tenants.plans.prices import display

PageClasses = Mapping[int, Mapping[str, Any]]
"""The classes that a class set gave to pages, by their numbers."""


def cost_json(amount_micros: int, currency: str) -> dict[str, object]:
    return {"amount": display(amount_micros), "amount_micros": amount_micros, "currency": currency}


def picture_url(page: Page, job: Job) -> str | None:
    return picture_path(job, page.number, page.result)


def picture_path(job: Job, number: int, result: Mapping[str, object] | None) -> str | None:
    """Return the address of the picture that the boxes of the page's result lie on, or None without pictures."""
    if job.document is None:
        return None
    if job.document.kind not in Document.PICTURED and not (result or {}).get("width"):
        return None  # A page of an Office document has a picture only if it is nothing else.
    if turn_of(result) != NOT_TURNED:
        return f"/v1/jobs/{job.id}/pages/{number}/picture"
    return f"/v1/documents/{job.document_id}/pages/{number}/picture"


def page_json(
    page: Page,
    job: Job,
    corrections: Sequence[Correction] = (),
    *,
    before: Mapping[str, Any] | None = None,
    classes: PageClasses = MappingProxyType({}),
) -> dict[str, object]:
    """Return a page as a result contains it. A page is never left out, whatever became of it.

    The result is as the model gave it, but for the class if the job used a class set, which gave `classes`. What people
    corrected is beside it. `before` is the result of the page before, from which the first table may go on.
    """
    error = None
    if page.state == "failed":
        error = {"code": page.error_code, "detail": page.error_detail}
    return {
        "number": page.number,
        "state": page.state,
        "error": error,
        "attempts": page.attempt,
        "cached": page.cached,
        "cost": cost_json(page.cost_micros, job.currency),
        "picture": picture_url(page, job),
        "started_at": page.started_at,
        "finished_at": page.finished_at,
        **_shown(page.result or {}, before or {}),
        **({"class": classes[page.number]} if page.number in classes else {}),
        **corrections_json(corrections),
    }


def _shown(result: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    found = with_continuation(result, before)
    return {name: value for name, value in found.items() if name != FIELD_CANDIDATES}


def corrections_json(corrections: Sequence[Correction]) -> dict[str, object]:
    return {"corrections": [correction_json(row) for row in corrections]} if corrections else {}


def pages_json(pages: Sequence[Page], job: Job) -> list[dict[str, object]]:
    """Return pages that follow each other, in the order of their numbers."""
    return _pages_json(pages, job, page_classes(job)[0])


def _pages_json(pages: Sequence[Page], job: Job, classes: PageClasses) -> list[dict[str, object]]:
    if not pages:
        return []
    corrections = corrections_of(job, pages[0].number, pages[-1].number)
    before = [result_before(pages[0], job), *(page.result for page in pages)]
    return [
        page_json(page, job, corrections.get(page.number, ()), before=result, classes=classes)
        for page, result in zip(pages, before, strict=False)
    ]


def result_before(page: Page, job: Job) -> Mapping[str, Any] | None:
    """Return the result of the page before, if the first table of the page may go on from there."""
    if page.number == 1 or not begins_with_table(page.result or {}):
        return None
    return job.pages.filter(number=page.number - 1).values_list("result", flat=True).first()


def result_head(job: Job, segments: Sequence[Mapping[str, Any]] | None = None) -> dict[str, object]:
    return {
        "object": "result",
        "schema_version": SCHEMA_VERSION,
        "job": str(job.id),
        "state": job.state,
        "model": job.model_version.key,
        "pages_total": job.pages_total,
        "pages_done": job.pages_done,
        **{name: value for name, value in (job.fields or {}).items() if name != READ},
        **({} if segments is None else {"segments": segments}),
    }


def result_json(job: Job) -> dict[str, object]:
    classes, segments = page_classes(job)
    pages = _pages_json(list(job.pages.order_by("number")), job, classes)
    return {
        **result_head(job, segments),
        "text": "\n\n".join(str(page["text"]) for page in pages if page.get("text")),
        "pages": pages,
        **corrections_json(corrections_of(job, last=DOCUMENT).get(DOCUMENT, ())),
    }
