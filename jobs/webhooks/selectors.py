"""Reads of endpoints, deliveries and attempts. They always run inside a unit of work."""

from django.db.models import QuerySet

from jobs.webhooks.models import WebhookDelivery, WebhookEndpoint
from tenants.core.db.unit_of_work import current_mode
from tenants.core.errors import NotFound
from tenants.core.ids import as_uuid


def endpoints() -> "QuerySet[WebhookEndpoint]":
    """Return the tenant's own endpoints, without the servers that jobs name and without deleted endpoints."""
    return (
        WebhookEndpoint.objects.filter(kind=WebhookEndpoint.Kind.ENDPOINT)
        .exclude(state=WebhookEndpoint.State.DELETED)
        .order_by("-id")
    )


def get_endpoint(endpoint_id: object, *, for_update: bool = False) -> WebhookEndpoint:
    wanted = as_uuid(endpoint_id)
    rows = endpoints().select_for_update(no_key=True) if for_update else endpoints()
    found = rows.filter(id=wanted).first() if wanted else None
    if found is None:
        raise NotFound(f"There is no webhook endpoint {str(endpoint_id)[:60]!r}.")
    return found


def deliveries() -> "QuerySet[WebhookDelivery]":
    """Return the deliveries of the current mode. A delivery has the mode of its endpoint."""
    mode, rows = current_mode(), WebhookDelivery.objects.select_related("message", "endpoint").order_by("-id")
    return rows if mode is None else rows.filter(endpoint__livemode=mode)


def get_delivery(delivery_id: object, *, for_update: bool = False) -> WebhookDelivery:
    wanted = as_uuid(delivery_id)
    rows = deliveries().select_for_update(no_key=True, of=("self",)) if for_update else deliveries()
    found = rows.filter(id=wanted).first() if wanted else None
    if found is None:
        raise NotFound(f"There is no webhook delivery {str(delivery_id)[:60]!r}.")
    return found
