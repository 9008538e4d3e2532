"""Reads of endpoints, deliveries and attempts; always inside a unit of work."""

from django.db.models import QuerySet

from jobs.webhooks.models import WebhookDelivery, WebhookEndpoint
from tenants.core.db.unit_of_work import current_mode
from tenants.core.errors import NotFound
from tenants.core.ids import as_uuid


def endpoints() -> "QuerySet[WebhookEndpoint]":
    """The tenant's own: what jobs name is none of them, and what was deleted is gone."""
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
    """Each is of its endpoint's mode."""
    mode, rows = current_mode(), WebhookDelivery.objects.select_related("message", "endpoint").order_by("-id")
    return rows if mode is None else rows.filter(endpoint__livemode=mode)


def get_delivery(delivery_id: object, *, for_update: bool = False) -> WebhookDelivery:
    wanted = as_uuid(delivery_id)
    rows = deliveries().select_for_update(no_key=True, of=("self",)) if for_update else deliveries()
    found = rows.filter(id=wanted).first() if wanted else None
    if found is None:
        raise NotFound(f"There is no webhook delivery {str(delivery_id)[:60]!r}.")
    return found
