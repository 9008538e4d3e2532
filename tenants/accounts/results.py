"""Stored results of a tenant. They are erased together, in every place where they are stored."""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from django.db import transaction
from django.db.models import F

from tenants.accounts.models import Tenant
from tenants.audit.services import record
from tenants.core.db.unit_of_work import current_alias

Eraser = Callable[[UUID, int], None]
"""A function that is called with the tenant and the first generation of its results that is not erased."""
_erasers: list[Eraser] = []


def on_erasure(erase: Eraser) -> None:
    """Register code that stores results, once, at the start. It must not raise if something is unavailable."""
    if erase not in _erasers:
        _erasers.append(erase)


def erase_results(*, tenant_id: UUID) -> None:
    """Erase a tenant's results with the caller's transaction. A second later no response uses them.

    Results in a storage that is unavailable at the moment expire there.
    """
    found = Tenant.objects.filter(id=tenant_id)
    found.update(results_generation=F("results_generation") + 1)
    generation: int = found.values_list("results_generation", flat=True).get()
    record(tenant_id=tenant_id, action="results.erased")
    for erase in _erasers:
        transaction.on_commit(partial(erase, tenant_id, generation), using=current_alias())
