"""Records an action, in the transaction of the action itself: both happen or neither."""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from django.db import transaction

from tenants.audit.acting import acting
from tenants.audit.actions import ACTIONS
from tenants.audit.changes import Changes, shown
from tenants.audit.models import AuditEntry
from tenants.core.db.unit_of_work import current_alias

Listener = Callable[[UUID, str], None]
"""A function that is called with the tenant and the action after the action is done."""
_listeners: list[Listener] = []


def on_action(listen: Listener) -> None:
    """Register a listener, once, at the start. It must not raise an error if something is unavailable."""
    if listen not in _listeners:
        _listeners.append(listen)


def record(
    *,
    tenant_id: UUID,
    action: str,
    subject_id: object = "",
    subject: object = "",
    changes: Changes | None = None,
    note: str = "",
) -> None:
    """Record an action of the current actor. `subject` is a name for people, `changes` of changes_between()."""
    if action not in ACTIONS:
        raise ValueError(f"{action!r} is no action of tenants/audit/actions.py")
    if not transaction.get_connection(current_alias()).in_atomic_block:
        raise RuntimeError(f"{action} was to be written down outside the transaction that does it")
    actor = acting()
    AuditEntry.objects.create(
        tenant_id=tenant_id,
        action=action,
        actor_kind=actor.kind,
        actor_id=actor.actor_id,
        actor_name=actor.name[:254],
        behalf_of=actor.behalf_of[:254],
        subject_id=str(subject_id)[:100],
        subject_name=str(shown("subject", str(subject)))[:254],
        changes=changes or {},
        note=str(shown("note", note))[:500],
        address=actor.address[:45],
        user_agent=str(shown("user_agent", actor.user_agent))[:400],
        request_id=actor.request_id[:64],
    )
    for listen in _listeners:
        # The callback is robust because the action is done by then, even if a listener fails.
        transaction.on_commit(partial(listen, tenant_id, action), using=current_alias(), robust=True)
