"""Ends of pages and jobs: result, charge, counters and events in one transaction, or not at all."""

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connections

from inference.contracts import Units, WorkOutput
from jobs import states
from jobs.dispatch.claims import Claim
from jobs.dispatch.events import append_event
from jobs.errors import Fenced
from jobs.models import Job, Page
from jobs.selectors import jobs_with_models
from jobs.storable import without_unstorable
from tenants.billing.prices import Price
from tenants.billing.services import record_usage
from tenants.context import current_alias, unit_of_work

_FINISH = """
UPDATE jobs_page
SET state = 'succeeded', result = %(result)s::jsonb, cost_micros = %(cost)s, finished_at = clock_timestamp(),
    lease_until = NULL, error_code = '', error_detail = ''
WHERE id = %(page)s AND state = 'running' AND lease_token = %(token)s
"""

_FAIL = """
UPDATE jobs_page
SET state = 'failed', error_code = %(code)s, error_detail = %(detail)s, finished_at = clock_timestamp(),
    lease_until = NULL
WHERE id = %(page)s AND state = 'running' AND lease_token = %(token)s
"""

_TRY_AGAIN = """
UPDATE jobs_page
SET state = 'queued', error_code = %(code)s, error_detail = %(detail)s, lease_token = NULL, lease_until = NULL,
    wake_again_at = NULL, run_after = clock_timestamp() + make_interval(secs => %(delay_s)s)
WHERE id = %(page)s AND state = 'running' AND lease_token = %(token)s
"""

POSTPONED_S = 5.0
PATIENCE_S = 3600.0

_POSTPONE = """
UPDATE jobs_page
SET state = 'queued', attempt = attempt - 1, error_code = %(code)s, error_detail = %(detail)s, lease_token = NULL,
    lease_until = NULL, wake_again_at = NULL, run_after = clock_timestamp() + make_interval(secs => %(delay_s)s)
WHERE id = %(page)s AND state = 'running' AND lease_token = %(token)s
  AND created_at > clock_timestamp() - make_interval(secs => %(patience_s)s)
"""

_CLOSE = """
UPDATE jobs_job SET state = %(state)s, error_code = %(code)s, error_detail = %(detail)s, finished_at = clock_timestamp()
WHERE id = %(job)s
"""


@dataclass(frozen=True)
class Failure:
    code: str
    detail: str


def finish_page(claim: Claim, output: WorkOutput) -> None:
    """Raises Fenced, with nothing written, when the page is no longer this claim's."""
    with unit_of_work(claim.tenant_id):
        job = _locked(claim.job_id)
        price = Price.from_json(job.price)
        quantity = _quantity(output.units, price)
        cost = price.cost_micros(quantity) if job.livemode else 0
        _cas(
            _FINISH,
            {"page": claim.page_id, "token": claim.token, "result": _json(output.result), "cost": cost},
        )
        record_usage(
            tenant_id=claim.tenant_id,
            source_kind="page",
            source_id=claim.page_id,
            model=job.model_version.served_model.name,
            version=job.model_version.number,
            quantity=quantity,
            price=price,
            amount_micros=cost,
            livemode=job.livemode,
        )
        job.pages_succeeded += 1
        job.cost_micros += cost
        job.save(update_fields=["pages_succeeded", "cost_micros"])
        append_event(job.id, "page.succeeded", _progress(job, claim.number, states.SUCCEEDED))
        _close_if_complete(job)


def fail_page(claim: Claim, failure: Failure, *, may_retry: bool) -> str:
    """Queues the page again with back-off while attempts are left and a retry could help; else it has failed."""
    with unit_of_work(claim.tenant_id):
        job = _locked(claim.job_id)
        values = {
            "page": claim.page_id,
            "token": claim.token,
            "code": failure.code,
            "detail": failure.detail[:2000],
        }
        if may_retry and claim.attempt < settings.MAAS_MAX_ATTEMPTS:
            delay_s = states.retry_delay_s(claim.attempt, random.random())  # noqa: S311  # jitter, not a secret
            _cas(_TRY_AGAIN, {**values, "delay_s": delay_s})
            data = {
                **_progress(job, claim.number, states.QUEUED),
                "error": failure.code,
                "attempt": claim.attempt,
            }
            append_event(job.id, "page.retrying", data)
            return "retrying"
        _cas(_FAIL, values)
        _count_failure(job, claim.number, failure)
        return "failed"


def postpone_page(claim: Claim, failure: Failure) -> str:
    """For trouble that is not the page's: it waits and loses no attempt, but not for ever."""
    with unit_of_work(claim.tenant_id):
        job = _locked(claim.job_id)
        values = {"page": claim.page_id, "token": claim.token, "code": failure.code, "detail": failure.detail}
        if _execute(_POSTPONE, {**values, "delay_s": POSTPONED_S, "patience_s": PATIENCE_S}) == 1:
            data = {**_progress(job, claim.number, states.QUEUED), "error": failure.code}
            append_event(job.id, "page.retrying", data)
            return "postponed"
        _cas(_FAIL, values)
        _count_failure(job, claim.number, failure)
        return "failed"


def fail_lost_page(page: Page, failure: Failure) -> None:
    """The sweeper's way to end a page whose workers died; runs in the operator's scope, job already locked."""
    job = _locked(page.job_id)
    _cas(
        _FAIL,
        {"page": page.id, "token": page.lease_token, "code": failure.code, "detail": failure.detail},
    )
    _count_failure(job, page.number, failure)


def _count_failure(job: Job, number: int, failure: Failure) -> None:
    job.pages_failed += 1
    job.save(update_fields=["pages_failed"])
    data = {
        **_progress(job, number, states.FAILED),
        "error": {"code": failure.code, "detail": failure.detail},
    }
    append_event(job.id, "page.failed", data)
    _close_if_complete(job)


def _close_if_complete(job: Job) -> None:
    """Safe against two last pages at once: both hold the job's row, so the second one counts the first."""
    state = states.closing_state(states.Tally(job.pages_total, job.pages_succeeded, job.pages_failed))
    if state is None:
        return
    failure = _job_failure(job, state)
    _execute(_CLOSE, {"job": job.id, "state": state, "code": failure.code, "detail": failure.detail})
    append_event(
        job.id, f"job.{state}", {"state": state, "pages_done": job.pages_done, "cost_micros": job.cost_micros}
    )


def _job_failure(job: Job, state: str) -> Failure:
    if state == states.SUCCEEDED:
        return Failure("", "")
    first = job.pages.filter(state=states.FAILED).order_by("number").first()
    if job.pages_total == 1 and first is not None:
        return Failure(first.error_code, first.error_detail)
    words = f"{job.pages_failed} of {job.pages_total} pages failed"
    why = f"; page {first.number}: {first.error_detail}" if first else ""
    return Failure("pages_failed", f"{words}{why}")


def _progress(job: Job, number: int, state: str) -> dict[str, object]:
    return {"page": number, "state": state, "pages_done": job.pages_done, "pages_total": job.pages_total}


def _quantity(units: Units, price: Price) -> int:
    return {"page": units.pages, "token": units.tokens, "call": units.calls}[price.meter]


def _locked(job_id: UUID) -> Job:
    return jobs_with_models().select_for_update(of=("self",), no_key=True).get(id=job_id)


def _cas(statement: str, values: Mapping[str, Any]) -> None:
    if _execute(statement, values) != 1:
        raise Fenced(f"page {values['page']} is no longer held with token {values['token']}")


def _execute(statement: str, values: Mapping[str, Any]) -> int:
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(statement, values)
        return int(cursor.rowcount)


def _json(value: object) -> str:
    written = json.dumps(value, allow_nan=False)
    suspicious = "\\u0000" in written or "\\ud" in written
    return json.dumps(without_unstorable(value)) if suspicious else written
