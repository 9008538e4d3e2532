"""How long what belongs to a tenant is kept: its own days, or the installation's, and fewer for what tests made."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings

from tenants.context import OPERATOR
from tenants.models import Tenant

FOR_EVER = 0


@dataclass(frozen=True)
class Keeping:
    """Days; 0 is for ever. What a plan says will be read here as well, and nowhere else."""

    documents_days: int
    results_days: int
    events_days: int
    test_days: int
    """Of documents and results that a key without charges made, where that is less."""

    def documents(self, *, livemode: bool) -> int:
        return self._days(self.documents_days, livemode)

    def results(self, *, livemode: bool) -> int:
        return self._days(self.results_days, livemode)

    def _days(self, days: int, livemode: bool) -> int:
        if livemode:
            return days
        return min((some for some in (days, self.test_days) if some), default=FOR_EVER)


def keeping_of(tenant: Tenant) -> Keeping:
    return Keeping(
        documents_days=_own(tenant.keep_documents_days, settings.MAAS_KEEP_DOCUMENTS_DAYS),
        results_days=_own(tenant.keep_results_days, settings.MAAS_KEEP_RESULTS_DAYS),
        events_days=_own(tenant.keep_events_days, settings.MAAS_KEEP_EVENTS_DAYS),
        test_days=settings.MAAS_KEEP_TEST_DAYS,
    )


def keeping_for(tenant_id: UUID) -> Keeping:
    """Inside a unit of work, or an operator's."""
    return keeping_of(Tenant.objects.only(*_FIELDS).get(id=tenant_id))


def everybodys_keeping(among: Iterable[UUID] | None = None) -> dict[UUID, Keeping]:
    """Operators' work."""
    tenants = Tenant.objects.using(OPERATOR).only(*_FIELDS)
    chosen = tenants.filter(id__in=among) if among is not None else tenants
    return {tenant.id: keeping_of(tenant) for tenant in chosen}


_FIELDS = ("keep_documents_days", "keep_results_days", "keep_events_days")


def _own(own: int | None, installations: int) -> int:
    return installations if own is None else own
