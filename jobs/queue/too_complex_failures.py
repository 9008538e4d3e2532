"""Ends a page that could not be read within the limits, and the other pages if the document had enough of these."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import structlog
from django.db import connections

from jobs.core import states
from jobs.core.errors import LeaseLost
from jobs.documents.too_complex_pages import CODE, DETAIL, is_ended, is_refused, note_too_complex
from jobs.events.log import Happened
from jobs.queue.claims import Claim, ClaimedDocument
from jobs.queue.findings import Findings, with_findings
from jobs.queue.job_ends import Failure, append_and_close, counted, locked, progress
from jobs.queue.settlement import fail_page
from tenants.core.db.unit_of_work import APP, unit_of_work

log = structlog.get_logger(__name__)
BATCH = 500
"""Pages of a job that are ended in one transaction."""
ENDED = Failure(CODE, DETAIL)

# A page that has been drawn before can be read from its image, and is left alone.
_FAIL_UNREAD = """
WITH unread AS (
    SELECT id FROM jobs_page page WHERE job_id = %(job)s AND state = 'queued' AND NOT EXISTS (
        SELECT FROM jobs_documentpage drawn WHERE document_id = %(document)s AND drawn.number = page.number
    )
    ORDER BY number LIMIT %(batch)s FOR UPDATE
)
UPDATE jobs_page SET state = 'failed', error_code = %(code)s, error_detail = %(detail)s,
    finished_at = clock_timestamp(), renotify_at = NULL, waits_for = NULL
FROM unread WHERE jobs_page.id = unread.id RETURNING number
"""


def fail_too_complex(
    claim: Claim, document: ClaimedDocument, failure: Failure, *, on_end: Callable[[UUID], object]
) -> str:
    """End a page that is too complex. `on_end` gets the document's id once no more of it is to be read."""
    pages = document.too_complex_pages
    if not is_refused(pages, claim.number):
        pages = note_too_complex(claim.tenant_id, document.id, claim.number)
    if is_ended(pages):
        on_end(document.id)
    outcome = fail_page(claim, failure, may_retry=False)
    if is_ended(pages):
        _fail_unread_pages(claim, document)
    return outcome


def _fail_unread_pages(claim: Claim, document: ClaimedDocument) -> None:
    """Fail the unread pages of the same job. Those of another job fail when one of its pages is claimed."""
    ended = 0
    try:
        while some := with_findings(claim.tenant_id, claim.job_id, partial(_fail_some, claim, document)):
            ended += some
    except LeaseLost:
        pass  # The job has ended.
    if ended:
        log.warning("document_too_complex", document_id=str(document.id), pages=ended)


def _fail_some(claim: Claim, document: ClaimedDocument, findings: Findings | None) -> int:
    values: dict[str, Any] = {"job": claim.job_id, "document": document.id, "batch": BATCH}
    with unit_of_work(claim.tenant_id):
        locked(claim.job_id)
        with connections[APP].cursor() as cursor:
            cursor.execute(_FAIL_UNREAD, {**values, "code": ENDED.code, "detail": ENDED.detail})
            numbers = sorted(number for (number,) in cursor.fetchall())
        if not numbers:
            return 0
        job = counted(claim.job_id, failed=len(numbers)).ending_with(findings)
        error = {"code": ENDED.code, "detail": ENDED.detail}
        before = job.pages_done - len(numbers)
        happened = [
            Happened(
                "page.failed",
                {**progress(job, number, states.FAILED), "pages_done": before + position, "error": error},
            )
            for position, number in enumerate(numbers, 1)
        ]
        append_and_close(job, happened)
    return len(numbers)
