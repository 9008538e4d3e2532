"""Writes to endpoints and deliveries on behalf of a tenant. Each function is one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet
from django.db.models.functions import Now

from jobs.webhooks import secrets
from jobs.webhooks.errors import TooManyWebhookEndpoints, WebhookDisabled
from jobs.webhooks.job_urls import require_sendable
from jobs.webhooks.models import WebhookDelivery, WebhookEndpoint, WebhookMessage, WebhookSecret
from jobs.webhooks.patterns import ALL, ALL_OF_JOBS, EVENT_TYPES, TEST, is_known
from jobs.webhooks.payloads import body_of
from jobs.webhooks.selectors import deliveries, endpoints, get_delivery, get_endpoint
from tenants.audit.changes import changes_between
from tenants.audit.services import record
from tenants.core.db.clock import database_now
from tenants.core.db.tenant_owned import lock_tenant
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.identity.identity import Identity

MAX_ENDPOINTS = 20
MAX_REPLAYED = 10_000

State, Reason = WebhookEndpoint.State, WebhookEndpoint.Reason


@dataclass(frozen=True)
class WithSecret:
    """An endpoint with its secret. A secret is shown when it is made, and again only to a request with the idempotency
    key that made it.
    """

    endpoint: WebhookEndpoint
    secret: str


def create_endpoint(
    *, identity: Identity, url: str, events: Sequence[str] = (ALL,), description: str = ""
) -> WithSecret:
    require_sendable(url)
    wanted = _checked(events)
    with unit_of_work(identity):
        # Two requests that create endpoints wait for each other. Otherwise both would find the last slot free.
        lock_tenant(identity.tenant_id)
        if endpoints().filter(livemode=identity.livemode).count() >= MAX_ENDPOINTS:
            raise TooManyWebhookEndpoints(
                f"This account has {MAX_ENDPOINTS} webhook endpoints, the maximum. Delete one first."
            )
        endpoint = WebhookEndpoint(
            tenant_id=identity.tenant_id,
            url=url,
            events=wanted,
            description=description,
            livemode=identity.livemode,
        )
        endpoint.save(force_insert=True)
        endpoint.refresh_from_db()
        _told("created", endpoint, {})
        return WithSecret(endpoint, secrets.new_secret(identity.tenant_id, endpoint.id))


def told_with(secret: WebhookSecret) -> WithSecret:
    """Return the endpoint with this secret, for a caller that has just made it, or that asks again because the response
    was lost.
    """
    with unit_of_work(secret.tenant_id):
        return WithSecret(get_endpoint(secret.endpoint_id), secrets.text_of(secret))


def change_endpoint(
    *,
    identity: Identity,
    endpoint_id: object,
    url: str | None = None,
    events: Sequence[str] | None = None,
    description: str | None = None,
    enabled: bool | None = None,
) -> WebhookEndpoint:
    """Change an endpoint. A parameter that is None changes nothing. Messages under way go to the new URL from their
    next attempt on.
    """
    if url is not None:
        require_sendable(url)
    wanted = None if events is None else _checked(events)
    with unit_of_work(identity):
        endpoint = get_endpoint(endpoint_id, for_update=True)
        before = _settings_of(endpoint)
        if url not in (None, endpoint.url):
            endpoint.url = url
            _forget_health(endpoint)
        endpoint.events = endpoint.events if wanted is None else wanted
        endpoint.description = endpoint.description if description is None else description
        endpoint.save(update_fields=["url", "events", "description"])
        if enabled is not None:
            (_enable if enabled else _disable)(endpoint)
        if before != _settings_of(endpoint):
            _told("changed", endpoint, before)
    return endpoint


def _settings_of(endpoint: WebhookEndpoint) -> dict[str, object]:
    return {name: getattr(endpoint, name) for name in ("url", "events", "description", "state")}


def _told(what: str, endpoint: WebhookEndpoint, before: dict[str, object]) -> None:
    record(
        tenant_id=endpoint.tenant_id,
        action=f"webhook_endpoint.{what}",
        subject_id=endpoint.id,
        subject=endpoint.url,
        changes=changes_between(before, _settings_of(endpoint)),
    )


def _forget_health(endpoint: WebhookEndpoint) -> None:
    """Reset the health of the endpoint, because failures at the old URL say nothing about the new one."""
    endpoint.failing_since, endpoint.given_up, endpoint.succeeded_at = None, 0, None
    endpoint.failures, endpoint.paused_until, endpoint.not_before = 0, None, None
    endpoint.save(update_fields=["failing_since", "given_up", "succeeded_at", "failures", "paused_until", "not_before"])


def _enable(endpoint: WebhookEndpoint) -> None:
    """Enable the endpoint and reset its failures, because they say nothing about its current state."""
    if endpoint.state == State.ENABLED:
        return
    endpoint.state, endpoint.disabled_reason, endpoint.disabled_at = State.ENABLED, "", None
    endpoint.failing_since, endpoint.given_up, endpoint.failures = None, 0, 0
    endpoint.paused_until, endpoint.not_before = None, None
    endpoint.notified_at, endpoint.next_notice_at, endpoint.notice_tries, endpoint.notified_ids = (
        None,
        None,
        0,
        [],
    )
    notices = ["notified_at", "next_notice_at", "notice_tries", "notified_ids"]
    endpoint.save(
        update_fields=[
            *("state", "disabled_reason", "disabled_at", "failing_since", "given_up", "failures"),
            *("paused_until", "not_before", *notices),
        ]
    )


def _disable(endpoint: WebhookEndpoint) -> None:
    """Disable the endpoint. Its pending deliveries are ended a little later; see jobs/webhooks/upkeep.py."""
    if endpoint.state != State.ENABLED:
        return
    endpoint.state, endpoint.disabled_reason, endpoint.disabled_at = (
        State.DISABLED,
        Reason.BY_HAND,
        database_now(),
    )
    endpoint.save(update_fields=["state", "disabled_reason", "disabled_at"])


def delete_endpoint(*, identity: Identity, endpoint_id: object) -> None:
    """Delete an endpoint. Its row stays for a while, because a job may be ending and writing a delivery for it at this
    very moment.
    """
    with unit_of_work(identity):
        endpoint = get_endpoint(endpoint_id, for_update=True)
        before = _settings_of(endpoint)
        endpoint.state, endpoint.disabled_at = State.DELETED, database_now()
        endpoint.save(update_fields=["state", "disabled_at"])
        _told("deleted", endpoint, before)


def rotate_secret(*, identity: Identity, endpoint_id: object) -> WithSecret:
    with unit_of_work(identity):
        endpoint = get_endpoint(endpoint_id, for_update=True)
        record(
            tenant_id=identity.tenant_id,
            action="webhook_secret.rotated",
            subject_id=endpoint.id,
            subject=endpoint.url,
        )
        return WithSecret(endpoint, secrets.rotate(identity.tenant_id, endpoint.id))


def own_secret(*, identity: Identity) -> str:
    """Return the secret that signs messages to the URLs that jobs name."""
    with unit_of_work(identity):
        return secrets.tenants_own_secret(identity.tenant_id, of_tests=not identity.livemode)


def rotate_own_secret(*, identity: Identity) -> WebhookSecret:
    with unit_of_work(identity):
        lock_tenant(identity.tenant_id)
        secrets.rotate(identity.tenant_id, None, of_tests=not identity.livemode)
        record(tenant_id=identity.tenant_id, action="webhook_secret.rotated", subject="of jobs' own addresses")
        return secrets.lasting(identity.tenant_id, None, of_tests=not identity.livemode)


def send_test(*, identity: Identity, endpoint_id: object) -> WebhookDelivery:
    """Send a test message. It is like any other message, but goes to this endpoint only."""
    with unit_of_work(identity):
        endpoint = get_endpoint(endpoint_id)
        _require_enabled(endpoint)
        data = {"endpoint": str(endpoint.id), "words": "This is a test; nothing has happened."}
        message = WebhookMessage.objects.create(
            tenant_id=identity.tenant_id, type=TEST, body=body_of(TEST, database_now(), data)
        )
        made = WebhookDelivery.objects.create(tenant_id=identity.tenant_id, message=message, endpoint=endpoint)
        _wake(endpoint)
        return get_delivery(made.id)


def replay_delivery(*, identity: Identity, delivery_id: object) -> WebhookDelivery:
    """Send the same bytes under the same id again, however the delivery ended. A delivery that is under way is sent at
    once.
    """
    with unit_of_work(identity):
        delivery = get_delivery(delivery_id, for_update=True)
        _require_enabled(delivery.endpoint)
        _again(WebhookDelivery.objects.filter(id=delivery.id))
        _wake(delivery.endpoint)
        return get_delivery(delivery.id)


def replay_range(
    *, identity: Identity, endpoint_id: object, since: datetime, until: datetime, only_failed: bool
) -> int:
    """Send the endpoint's ended deliveries of messages in this period again, and return how many."""
    if since >= until:
        raise InvalidRequest(f"`since` ({since.isoformat()}) must be before `until` ({until.isoformat()}).")
    with unit_of_work(identity):
        endpoint = get_endpoint(endpoint_id)
        _require_enabled(endpoint)
        ended = deliveries().filter(endpoint=endpoint).exclude(state=WebhookDelivery.State.PENDING)
        if only_failed:
            ended = ended.filter(state=WebhookDelivery.State.FAILED)
        found = ended.filter(message__created_at__gte=since, message__created_at__lt=until)
        wanted = list(found.values_list("id", flat=True)[: MAX_REPLAYED + 1])
        if len(wanted) > MAX_REPLAYED:
            raise InvalidRequest(
                f"There are more than {MAX_REPLAYED:,} deliveries in this period. Choose a shorter period."
            )
        _wake(endpoint)
        return _again(WebhookDelivery.objects.filter(id__in=wanted))


def _wake(endpoint: WebhookEndpoint) -> None:
    """End the rest of the endpoint, because a request by hand must not wait for that. The next message decides how it
    continues.
    """
    resting = WebhookEndpoint.objects.filter(id=endpoint.id).exclude(paused_until=None, not_before=None)
    resting.update(paused_until=None, not_before=None)


def _again(rows: "QuerySet[WebhookDelivery]") -> int:
    """Start the schedule of these deliveries again. An attempt that is under way meanwhile counts as its first."""
    return rows.update(state=WebhookDelivery.State.PENDING, step=0, next_attempt_at=Now(), ended_at=None, error_code="")


def _require_enabled(endpoint: WebhookEndpoint) -> None:
    if endpoint.state != State.ENABLED:
        raise WebhookDisabled(
            f"The webhook endpoint {endpoint.id} is {endpoint.state}, so nothing is sent to it. Enable it first: "
            f'PATCH /v1/webhooks/endpoints/{endpoint.id} with {{"enabled": true}}.'
        )


def _checked(events: Sequence[str]) -> list[str]:
    unknown = [event for event in events if not is_known(event)]
    if unknown or not events:
        event_names = ", ".join((ALL, ALL_OF_JOBS, *EVENT_TYPES))
        problem = f"{unknown[0][:60]!r} is not an event" if unknown else "at least one event is required"
        raise InvalidRequest(f"`events`: {problem}. Use {event_names}.")
    return list(dict.fromkeys(events))
