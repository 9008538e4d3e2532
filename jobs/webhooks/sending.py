"""Makes one attempt: sign, send, and return the outcome."""

import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from django.conf import settings

from jobs.webhooks.claims import Held
from jobs.webhooks.kept_answers import kept_answer
from jobs.webhooks.models import WebhookEndpoint, WebhookMessage
from jobs.webhooks.schedule import retry_after
from jobs.webhooks.secrets import signing_secrets, tenants_own_secret
from jobs.webhooks.settlement import Outcome
from jobs.webhooks.signing import signed_headers
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.http_client.client import Answer, Outbound, send
from tenants.core.http_client.errors import EgressFailed, EgressRefused

AGENT = "maas-webhooks/1"


@dataclass(frozen=True)
class _Clock:
    started_at: datetime
    started_s: float

    @property
    def duration_ms(self) -> int:
        return round((time.monotonic() - self.started_s) * 1000)


def attempt(outbound: Outbound) -> Outcome:
    """Send the request and return the outcome. This never raises for an error of the receiver or the network, and does
    not use the database while it waits.
    """
    clock = _clock()
    try:
        return _answered(send(outbound), clock)
    except EgressRefused as error:
        return _unanswered(error, clock, refused=True)
    except EgressFailed as error:
        # Too many lookups at the same time are the fault of this service, so the endpoint is not blamed.
        return replace(_unanswered(error, clock, refused=False), own_fault=error.code == "lookups_busy")


def not_sent() -> Outcome:
    """Return the outcome of an attempt that failed in this service. The attempt is counted and tried again by the
    schedule, and the endpoint is not blamed.
    """
    clock = _clock()
    return Outcome(
        clock.started_at,
        clock.duration_ms,
        error_code="internal_error",
        detail="It was not sent: something went wrong on our side.",
        own_fault=True,
    )


def _clock() -> _Clock:
    return _Clock(datetime.now(UTC), time.monotonic())


def signed(held: Held) -> Outbound:
    """Sign the message with the current time, which every attempt needs: receivers refuse a signature that is old or
    lies in the future.
    """
    body = held.body.encode()
    with unit_of_work(held.tenant_id):
        secrets, now = _secrets(held), database_now()
    headers = signed_headers(
        secrets,
        webhook_id=WebhookMessage(id=held.message_id).webhook_id,
        timestamp=int(now.timestamp()),
        body=body,
    )
    return Outbound("POST", held.url, {"content-type": "application/json", "user-agent": AGENT, **headers}, body)


def _secrets(held: Held) -> list[str]:
    if not held.of_job:
        return signing_secrets(held.tenant_id, held.endpoint_id)
    of_tests = not WebhookEndpoint.objects.values_list("livemode", flat=True).get(id=held.endpoint_id)
    found = signing_secrets(held.tenant_id, None, of_tests=of_tests)
    return found or [tenants_own_secret(held.tenant_id, of_tests=of_tests)]


def _answered(answer: Answer, clock: _Clock) -> Outcome:
    allowed = settings.MAAS_WEBHOOK_KEEP_ANSWERS
    return Outcome(
        clock.started_at,
        clock.duration_ms,
        status=answer.status,
        response_body=kept_answer(answer.status, answer.body, allowed=allowed, is_own=answer.is_own),
        retry_after_s=retry_after(answer.headers.get("retry-after"), datetime.now(UTC)),
    )


def _unanswered(error: EgressRefused | EgressFailed, clock: _Clock, *, refused: bool) -> Outcome:
    return Outcome(clock.started_at, clock.duration_ms, error_code=error.code, detail=error.detail, refused=refused)
