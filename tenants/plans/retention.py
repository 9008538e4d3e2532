"""Retention of a tenant's data, in days: its own, its plan's or the installation's, and less for test data."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings

from tenants.core.db.unit_of_work import OPERATOR
from tenants.limits.fields import KEPT
from tenants.plans.models import ChosenLimits

FOR_EVER = 0


@dataclass(frozen=True)
class Retention:
    """The retention times in days; 0 means forever."""

    documents_days: int
    results_days: int
    events_days: int
    test_days: int
    """The days for documents and results that a test key made without charges, if that is less."""

    def documents(self, *, livemode: bool) -> int:
        return self._days(self.documents_days, livemode)

    def results(self, *, livemode: bool) -> int:
        return self._days(self.results_days, livemode)

    def _days(self, days: int, livemode: bool) -> int:
        if livemode:
            return days
        return min((some for some in (days, self.test_days) if some), default=FOR_EVER)


def test_days_within(days: int) -> int:
    """Return the retention of something that a test key made and that is kept for `days` otherwise."""
    return min(days, settings.MAAS_KEEP_TEST_DAYS or days)


def retention_of(chosen: ChosenLimits) -> Retention:
    return Retention(
        documents_days=_or(chosen.keep_documents_days, settings.MAAS_KEEP_DOCUMENTS_DAYS),
        results_days=_or(chosen.keep_results_days, settings.MAAS_KEEP_RESULTS_DAYS),
        events_days=_or(chosen.keep_events_days, settings.MAAS_KEEP_EVENTS_DAYS),
        test_days=settings.MAAS_KEEP_TEST_DAYS,
    )


def retention_for(tenant_id: UUID) -> Retention:
    """Return the retention times of a tenant. Call this inside a unit of work or operator work."""
    return retention_of(ChosenLimits.objects.only(*KEPT).get(pk=tenant_id))


def retention_of_all(among: Iterable[UUID] | None = None) -> dict[UUID, Retention]:
    """Return the retention times of all tenants, or of those in `among`. Call this in operator work."""
    chosen = ChosenLimits.objects.using(OPERATOR).only(*KEPT)
    wanted = chosen.filter(pk__in=among) if among is not None else chosen
    return {tenant.pk: retention_of(tenant) for tenant in wanted}


def _or(own: int | None, installations: int) -> int:
    return installations if own is None else own
