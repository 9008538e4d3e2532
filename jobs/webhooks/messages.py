"""Writes the messages about a job's end, in the transaction that ends it."""

from uuid import UUID

from django.db import connections
from django.db.models.functions import Now
from django.utils import timezone

from jobs.core.models import Job
from jobs.webhooks.addresses import origin_of
from jobs.webhooks.models import WebhookDelivery, WebhookEndpoint, WebhookMessage
from jobs.webhooks.patterns import wants
from jobs.webhooks.payloads import body_of, job_data
from tenants.core.db.unit_of_work import current_alias

MAX_TRIES = 5
_LOCK_ENDPOINT = """
SELECT id FROM jobs_webhookendpoint WHERE tenant_id = %(tenant)s AND kind = 'jobs' AND url = %(url)s
  AND livemode = %(livemode)s FOR KEY SHARE
"""


def notify_of_end(job_id: UUID, event_type: str) -> None:
    """Write the message and its deliveries. The job's row is locked and already has its final state. Everything written
    here is committed together with the end of the job, or not at all.
    """
    job = Job.objects.select_related("model_version__served_model").defer("input").get(id=job_id)
    endpoints = _endpoints_of(job, event_type)
    if not endpoints:
        return
    body = body_of(event_type, job.finished_at or timezone.now(), job_data(job))
    message = WebhookMessage.objects.create(tenant_id=job.tenant_id, job_id=job.id, type=event_type, body=body)
    WebhookDelivery.objects.bulk_create(_delivery(message, endpoint, job) for endpoint in endpoints)


def _endpoints_of(job: Job, event_type: str) -> list[WebhookEndpoint]:
    there = WebhookEndpoint.objects.filter(
        tenant_id=job.tenant_id, kind=WebhookEndpoint.Kind.ENDPOINT, livemode=job.livemode
    ).exclude(state=WebhookEndpoint.State.DELETED)
    found = [endpoint for endpoint in there.order_by("id") if wants(endpoint.events, event_type)]
    if not job.webhook_url:
        return found
    return [*found, endpoint_of_job_urls(job.tenant_id, job.webhook_url, livemode=job.livemode)]


def endpoint_of_job_urls(tenant_id: UUID, url: str, *, livemode: bool) -> WebhookEndpoint:
    """Return the queue for the server of a job's own URL. It is created when a job names the server for the first time,
    or again after a long time.
    """
    for _ in range(MAX_TRIES):
        found = _locked_endpoint(tenant_id, origin_of(url), livemode)
        if found is not None:
            return found
        new = WebhookEndpoint(
            tenant_id=tenant_id, kind=WebhookEndpoint.Kind.JOBS, url=origin_of(url), livemode=livemode
        )
        WebhookEndpoint.objects.bulk_create([new], ignore_conflicts=True)
    raise LookupError(f"the endpoint of {origin_of(url)} was created and erased many times at once")


def _locked_endpoint(tenant_id: UUID, origin: str, livemode: bool) -> WebhookEndpoint | None:
    """Return the queue of the server. It is locked against being erased for idleness, and against nothing else, until a
    row that refers to it is written.
    """
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_LOCK_ENDPOINT, {"tenant": tenant_id, "url": origin, "livemode": livemode})
        row = cursor.fetchone()
    return None if row is None else WebhookEndpoint.objects.get(id=row[0])


def _delivery(message: WebhookMessage, endpoint: WebhookEndpoint, job: Job) -> WebhookDelivery:
    own = job.webhook_url if endpoint.kind == WebhookEndpoint.Kind.JOBS else ""
    delivery = WebhookDelivery(tenant_id=message.tenant_id, message=message, endpoint=endpoint, url=own)
    if endpoint.state == WebhookEndpoint.State.DISABLED:
        # The delivery can be replayed when the endpoint is enabled again.
        delivery.state, delivery.error_code = WebhookDelivery.State.FAILED, "endpoint_disabled"
        delivery.next_attempt_at, delivery.ended_at = None, Now()
    return delivery
