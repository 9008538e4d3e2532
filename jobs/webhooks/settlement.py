"""Stores the outcome of an attempt: in its log, its delivery, and its endpoint's health."""

import random
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import structlog
from django.db import connections, transaction
from django.db.models import F
from django.db.models.functions import Greatest, Now

from jobs.webhooks import schedule
from jobs.webhooks.claims import Held
from jobs.webhooks.delivery_order import PER_ENDPOINT, WIDEST
from jobs.webhooks.metrics import ATTEMPTS, DISABLED
from jobs.webhooks.models import WebhookAttempt, WebhookDelivery, WebhookEndpoint
from jobs.webhooks.schedule import Verdict, verdict
from tenants.audit.changes import changes_between
from tenants.audit.services import record
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.core.leases import row_leases

log = structlog.get_logger(__name__)
SUCCESS_KEPT_S = 60
"""The precision in seconds of an endpoint's last success, so that its row is not written for every message."""
MAX_DETAIL = 500
FAST_MS, SLOW_MS = 500, 2_000
"""The limits in milliseconds for the width. An endpoint that responds within the first may have more requests at once,
until it takes longer than the second.
"""

# The response time does not matter here: the width that a failure took away is restored, up to the width that every
# endpoint has.
_SUCCEEDED = """
UPDATE jobs_webhookendpoint
SET succeeded_at = clock_timestamp(), failing_since = NULL, given_up = 0, width = greatest(width, %(least)s),
    failures = 0, paused_until = NULL
WHERE id = %(id)s AND (failing_since IS NOT NULL OR given_up > 0 OR width < %(least)s OR succeeded_at IS NULL
    OR succeeded_at < clock_timestamp() - make_interval(secs => %(kept_s)s))
"""

_FAILED = """
UPDATE jobs_webhookendpoint
SET failing_since = coalesce(failing_since, clock_timestamp()), given_up = given_up + %(given_up)s, width = 1
WHERE id = %(id)s AND (failing_since IS NULL OR %(given_up)s > 0 OR width > 1)
"""

# Requests that were under way when the endpoint began to rest do not extend the rest.
_DOWN = """
UPDATE jobs_webhookendpoint SET failures = failures + 1
WHERE id = %(id)s AND (paused_until IS NULL OR paused_until <= clock_timestamp()) RETURNING failures
"""

_HEALTH = """
SELECT extract(epoch FROM clock_timestamp() - failing_since)::float8, given_up, failures FROM jobs_webhookendpoint
WHERE id = %(id)s AND kind = 'endpoint' AND state = 'enabled' AND failing_since IS NOT NULL
"""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one request: a response, or the reason why there is none."""

    started_at: datetime
    duration_ms: int
    status: int | None = None
    response_body: str = ""
    retry_after_s: float | None = None
    error_code: str = ""
    detail: str = ""
    refused: bool = False
    """Set if this installation's own rules forbid the request. They would forbid the next one as well."""
    own_fault: bool = False
    """Set if the request was not sent for a reason that says nothing about the endpoint."""


def without_words(outcome: Outcome) -> Outcome:
    """Return the outcome with the values that matter, and without any text of the other side."""
    return replace(outcome, response_body="", detail="")


def settle(held: Held, outcome: Outcome) -> Verdict | None:
    """Store the outcome and return the verdict. Return None if another process holds the delivery by now; that process
    stores its outcome.
    """
    with unit_of_work(held.tenant_id):
        # A replay meanwhile has started the schedule again. The attempt that is under way is then its first, whatever
        # its number was.
        step = held.delivery.select_for_update().values_list("step", flat=True).first()
        if step is None:
            return None
        moved = _has_moved(held, outcome)
        ruled = verdict(
            status=None if moved else outcome.status,
            attempts=step + 1,
            jitter=random.random(),  # noqa: S311  # spreads load, and hides nothing
            refused=outcome.refused and not moved,
            retry_after_s=None if moved else outcome.retry_after_s,
        )
        _end(held, outcome, ruled, step + 1)
        _log_attempt(held, outcome)
        if not (outcome.own_fault or moved):
            _mark_endpoint(held, outcome, ruled)
    ATTEMPTS.labels(outcome="delivered" if ruled.delivered else "failed").inc()
    return ruled


def _has_moved(held: Held, outcome: Outcome) -> bool:
    """Return whether the attempt failed at a URL that the endpoint no longer has. Only this delivery records such a
    failure.
    """
    if held.of_job or (outcome.status is not None and 200 <= outcome.status < 300):
        return False
    endpoint = held.endpoint.select_for_update(no_key=True).first()
    return endpoint is not None and endpoint.url != held.url


def _end(held: Held, outcome: Outcome, ruled: Verdict, step: int) -> None:
    State, again_in_s = WebhookDelivery.State, ruled.again_in_s
    state = State.DELIVERED if ruled.delivered else State.FAILED if again_in_s is None else State.PENDING
    row_leases.release(
        held.delivery,
        state=state,
        step=step,
        error_code=error_of(outcome),
        next_attempt_at=None if again_in_s is None else row_leases.after(again_in_s),
        ended_at=row_leases.CLOCK if again_in_s is None else None,
    )


def error_of(outcome: Outcome) -> str:
    if outcome.status is None or 200 <= outcome.status < 300:
        return outcome.error_code
    return f"status_{outcome.status}"


def _log_attempt(held: Held, outcome: Outcome) -> None:
    WebhookAttempt.objects.create(
        tenant_id=held.tenant_id,
        delivery_id=held.id,
        number=held.number,
        started_at=outcome.started_at,
        duration_ms=outcome.duration_ms,
        status=outcome.status,
        error_code=error_of(outcome),
        detail=outcome.detail[:MAX_DETAIL],
        response_body=outcome.response_body,
    )


def _mark_endpoint(held: Held, outcome: Outcome, ruled: Verdict) -> None:
    if ruled.delivered:
        _execute(_SUCCEEDED, {"id": held.endpoint_id, "kept_s": SUCCESS_KEPT_S, "least": PER_ENDPOINT})
        _adapt_width(held, outcome.duration_ms)
        return
    _execute(_FAILED, {"id": held.endpoint_id, "given_up": int(ruled.again_in_s is None)})
    if not outcome.refused:  # a refused request was not sent, so it says nothing about the endpoint
        _count_down(held, is_down=schedule.is_down(outcome.status))
        pause_s = schedule.left_alone_s(outcome.status, outcome.retry_after_s)
        if pause_s:
            # This concerns the server and not the message: the server has asked to get no other message meanwhile.
            held.endpoint.update(not_before=Greatest("not_before", row_leases.after(pause_s)))
    if held.of_job:
        return
    if ruled.gone:
        _disable(held, WebhookEndpoint.Reason.GONE)
    elif _fails_lastingly(held):
        _disable(held, WebhookEndpoint.Reason.FAILING)


def _count_down(held: Held, *, is_down: bool) -> None:
    """Count a failure of the server. A response, even one that refuses the message, comes from a server that is up."""
    if not is_down:
        unwell = held.endpoint.exclude(failures=0, paused_until=None)
        unwell.update(failures=0, paused_until=None)
        return
    row = _execute(_DOWN, {"id": held.endpoint_id})
    if row and (rest_s := schedule.rest_s(row[0])):
        held.endpoint.update(paused_until=row_leases.after(rest_s))


def _adapt_width(held: Held, duration_ms: int) -> None:
    """Adapt the width of the endpoint. The row is written only if the width changes, and not for each message."""
    if duration_ms <= FAST_MS and held.width < WIDEST:
        held.endpoint.filter(width__lt=WIDEST).update(width=F("width") + 1)
    elif duration_ms > SLOW_MS and held.width > PER_ENDPOINT:
        held.endpoint.filter(width__gt=PER_ENDPOINT).update(width=F("width") - 1)


def _fails_lastingly(held: Held) -> bool:
    row = _execute(_HEALTH, {"id": held.endpoint_id})
    return row is not None and schedule.lasting_failure(failing_for_s=row[0], given_up=row[1], failures=row[2])


def _disable(held: Held, reason: WebhookEndpoint.Reason) -> None:
    State = WebhookEndpoint.State
    changed = held.endpoint.filter(state=State.ENABLED).update(
        state=State.DISABLED, disabled_reason=reason, disabled_at=Now()
    )
    if changed:
        record(
            tenant_id=held.tenant_id,
            action="webhook_endpoint.changed",
            subject_id=held.endpoint_id,
            changes=changes_between({"state": State.ENABLED}, {"state": State.DISABLED}),
            note=f"Disabled: {reason.label}.",
        )
        transaction.on_commit(lambda: _tell_of_disabled(held, reason), using=APP)


def _tell_of_disabled(held: Held, reason: str) -> None:
    DISABLED.labels(reason=reason).inc()
    log.warning(
        "webhook_endpoint_disabled",
        tenant_id=str(held.tenant_id),
        endpoint_id=str(held.endpoint_id),
        reason=str(reason),
    )


def _execute(statement: str, values: dict[str, Any]) -> tuple[Any, ...] | None:
    """Run a statement, and return its first row if it returns rows."""
    with connections[APP].cursor() as cursor:
        cursor.execute(statement, values)
        row: tuple[Any, ...] | None = cursor.fetchone() if cursor.description else None
        return row
