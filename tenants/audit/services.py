"""Records an action, in the transaction of the action itself: both happen or neither."""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from django.db import transaction

from tenants.audit.acting import acting
from tenants.audit.changes import Changes, shown
from tenants.audit.deeds import DEEDS
from tenants.audit.models import AuditEntry
from tenants.core.db.unit_of_work import current_alias

Listener = Callable[[UUID, str], None]
"""A function that is called with the tenant and the action after the action is done."""
_listeners: list[Listener] = []


def on_deed(listen: Listener) -> None:
    """Register a listener. Call this once, when the process starts. The listener must not raise an error if something
    is merely unavailable.
    """
    if listen not in _listeners:
        _listeners.append(listen)


def record(
    *,
    tenant_id: UUID,
    deed: str,
    subject_id: object = "",
    subject: object = "",
    changes: Changes | None = None,
    note: str = "",
) -> None:
    """Record an action of the current actor. `subject` is the name by which people know what was changed. For `changes`
    see changes_between().
    """
    if deed not in DEEDS:
        raise ValueError(f"{deed!r} is no deed of tenants/audit/deeds.py")
    if not transaction.get_connection(current_alias()).in_atomic_block:
        raise RuntimeError(f"{deed} was to be written down outside the transaction that does it")
    who = acting()
    AuditEntry.objects.create(
        tenant_id=tenant_id,
        deed=deed,
        actor_kind=who.kind,
        actor_id=who.actor_id,
        actor_name=who.name[:254],
        behalf_of=who.behalf_of[:254],
        subject_id=str(subject_id)[:100],
        subject_name=str(shown("subject", str(subject)))[:254],
        changes=changes or {},
        note=str(shown("note", note))[:500],
        address=who.address[:45],
        user_agent=str(shown("user_agent", who.user_agent))[:400],
        request_id=who.request_id[:64],
    )
    for listen in _listeners:
        # The callback is robust because the action is done by then, even if a listener fails.
        transaction.on_commit(partial(listen, tenant_id, deed), using=current_alias(), robust=True)
