"""Endpoints and deliveries as the dashboard shows them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings

from jobs.webhooks.kept_answers import why_none
from jobs.webhooks.models import WebhookAttempt, WebhookDelivery, WebhookEndpoint
from tenants.dashboard_base.wording import ago

ATTEMPTS_SHOWN = 20
_TONES = {"enabled": "good", "disabled": "bad", "delivered": "good", "failed": "bad", "pending": "wait"}
_WHY = {
    "by_hand": "It was disabled manually.",
    "gone": "Your server answered 410 Gone, so no more messages are sent.",
    "failing": "Your server has not accepted a message for days, so no more messages are sent.",
}


@dataclass(frozen=True)
class EndpointView:
    id: UUID
    url: str
    description: str
    events: str
    state: str
    tone: str
    why: str
    """The reason why the endpoint is disabled. It is empty if the endpoint is not disabled."""
    failing: str
    """The time for which the endpoint has been failing. It is empty if the endpoint is not failing."""
    paused_until: datetime | None
    """The time before which nothing is sent to the endpoint, because its server is down."""
    of_tests: bool
    made_at: datetime
    made: str


@dataclass(frozen=True)
class AttemptView:
    number: int
    at: datetime
    when: str
    duration_ms: int
    result: str
    response_body: str
    response_note: str
    """The reason why there is no response to show. It is empty if there is a response, or if none came."""


@dataclass(frozen=True)
class DeliveryView:
    id: UUID
    type: str
    webhook_id: str
    job_id: UUID | None
    state: str
    tone: str
    may_replay: bool
    made_at: datetime
    made: str
    body: str
    attempts: list[AttemptView]


def endpoint_view(endpoint: WebhookEndpoint, now: datetime) -> EndpointView:
    enabled = endpoint.state == WebhookEndpoint.State.ENABLED
    return EndpointView(
        id=endpoint.id,
        url=endpoint.url,
        description=endpoint.description,
        events=", ".join(endpoint.events),
        state=endpoint.state,
        tone=_TONES[endpoint.state],
        why="" if enabled else _WHY.get(endpoint.disabled_reason, ""),
        failing=ago(endpoint.failing_since, now) if endpoint.failing_since and enabled else "",
        paused_until=_paused_until(endpoint, now) if enabled else None,
        of_tests=not endpoint.livemode,
        made_at=endpoint.created_at,
        made=ago(endpoint.created_at, now),
    )


def _paused_until(endpoint: WebhookEndpoint, now: datetime) -> datetime | None:
    until = endpoint.left_alone_until
    return until if until and until > now else None


def delivery_view(delivery: WebhookDelivery, now: datetime) -> DeliveryView:
    attempts = sorted(delivery.attempts.all(), key=lambda attempt: -attempt.number)[:ATTEMPTS_SHOWN]
    return DeliveryView(
        id=delivery.id,
        type=delivery.message.type,
        webhook_id=delivery.message.webhook_id,
        job_id=delivery.message.job_id,
        state=delivery.state,
        tone=_TONES[delivery.state],
        may_replay=delivery.state != WebhookDelivery.State.PENDING or delivery.attempts_made > 0,
        made_at=delivery.created_at,
        made=ago(delivery.created_at, now),
        body=delivery.message.body,
        attempts=[_attempt_view(attempt, now) for attempt in attempts],
    )


def _attempt_view(attempt: WebhookAttempt, now: datetime) -> AttemptView:
    result = str(attempt.status) if attempt.status else f"{attempt.error_code}: {attempt.detail}"
    return AttemptView(
        attempt.number,
        attempt.started_at,
        ago(attempt.started_at, now),
        attempt.duration_ms,
        result,
        attempt.response_body,
        why_none(attempt.status, attempt.response_body, allowed=settings.MAAS_WEBHOOK_KEEP_ANSWERS),
    )
