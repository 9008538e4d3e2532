"""Results that are kept of a tenant, wherever they lie: erased together."""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from django.db import transaction

from tenants.accounts.services import outdate_results
from tenants.audit.services import record
from tenants.core.db.unit_of_work import current_alias

Eraser = Callable[[UUID, int], None]
"""Is told whose results, and the first generation of them that is not erased."""
_erasers: list[Eraser] = []


def on_erasure(erase: Eraser) -> None:
    """For whoever keeps results; said once, when the process starts. It raises nothing for what is merely away."""
    if erase not in _erasers:
        _erasers.append(erase)


def erase_results(*, tenant_id: UUID) -> None:
    """Nobody is answered by them a second later; what lies somewhere that is away at the moment expires there.

    With the caller's transaction: where that is undone, nothing is erased.
    """
    generation = outdate_results(tenant_id=tenant_id)
    record(tenant_id=tenant_id, deed="results.erased")
    for erase in _erasers:
        transaction.on_commit(partial(erase, tenant_id, generation), using=current_alias())
