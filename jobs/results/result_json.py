"""The JSON of results: of a job, of a page, and of a cost."""

from collections.abc import Mapping, Sequence

from inference.pipelines.parse import FIELD_CANDIDATES
from jobs.core.document_class import DOCUMENT
from jobs.core.models import Correction, Document, Job, Page
from jobs.results.corrections.selectors import correction_json, corrections_of
from jobs.results.pictures.turns import NOT_TURNED, turn_of
from jobs.results.schema_version import SCHEMA_VERSION
from tenants.plans.prices import display


def cost_json(amount_micros: int, currency: str) -> dict[str, object]:
    return {"amount": display(amount_micros), "amount_micros": amount_micros, "currency": currency}


def picture_url(page: Page, job: Job) -> str | None:
    return picture_path(job, page.number, page.result)


def picture_path(job: Job, number: int, result: Mapping[str, object] | None) -> str | None:
    """Return the address of the picture that the boxes of the page's result lie on, or None without pictures."""
    if job.document is None or job.document.kind not in Document.PICTURED:
        return None
    if turn_of(result) != NOT_TURNED:
        return f"/v1/jobs/{job.id}/pages/{number}/picture"
    return f"/v1/documents/{job.document_id}/pages/{number}/picture"


def page_json(page: Page, job: Job, corrections: Sequence[Correction] = ()) -> dict[str, object]:
    """Return a page as a result contains it. A page is never left out, whatever became of it.

    The result is as the model gave it. What people corrected is beside it.
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
        **{name: value for name, value in (page.result or {}).items() if name != FIELD_CANDIDATES},
        **_corrections_json(corrections),
    }


def _corrections_json(corrections: Sequence[Correction]) -> dict[str, object]:
    return {"corrections": [correction_json(row) for row in corrections]} if corrections else {}


def pages_json(pages: Sequence[Page], job: Job) -> list[dict[str, object]]:
    """Return pages in the order of their numbers."""
    if not pages:
        return []
    corrections = corrections_of(job, pages[0].number, pages[-1].number)
    return [page_json(page, job, corrections.get(page.number, ())) for page in pages]


def result_head(job: Job) -> dict[str, object]:
    return {
        "object": "result",
        "schema_version": SCHEMA_VERSION,
        "job": str(job.id),
        "state": job.state,
        "model": job.model_version.key,
        "pages_total": job.pages_total,
        "pages_done": job.pages_done,
        **(job.fields or {}),
    }


def result_json(job: Job) -> dict[str, object]:
    pages = pages_json(list(job.pages.order_by("number")), job)
    return {
        **result_head(job),
        "text": "\n\n".join(str(page["text"]) for page in pages if page.get("text")),
        "pages": pages,
        **_corrections_json(corrections_of(job, last=DOCUMENT).get(DOCUMENT, ())),
    }
