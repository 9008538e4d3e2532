"""Reads of a tenant's own audit log. Call them inside its unit of work."""

from datetime import UTC, datetime, time, timedelta
from uuid import UUID

from django.db.models import QuerySet

from tenants.audit.filters import GROUPS, AuditFilter
from tenants.audit.models import AuditEntry
from tenants.core.ids import first_id_at

MAX_EXPORTED = 10_000


def audit_entries(wanted: AuditFilter) -> "QuerySet[AuditEntry]":
    """Return the entries, newest first. Ids grow with time."""
    found = AuditEntry.objects.order_by("-id")
    if wanted.kind:
        found = found.filter(action__startswith=f"{wanted.kind}.")
    if wanted.actor in GROUPS:
        found = found.filter(actor_kind=GROUPS[wanted.actor])
    elif wanted.actor:
        # An operator's id is excluded, because tenants do not learn who the operator was.
        found = found.filter(actor_id=UUID(wanted.actor), actor_kind__in=("person", "key"))
    if wanted.since:
        found = found.filter(id__gte=first_id_at(datetime.combine(wanted.since, time(), UTC)))
    if wanted.until:
        day_after = datetime.combine(wanted.until, time(), UTC) + timedelta(days=1)
        found = found.filter(id__lt=first_id_at(day_after))
    return found
