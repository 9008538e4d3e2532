"""The scheduler's monthly billing: each ended month is billed once, tenant by tenant, in the order of the months."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.db import connections
from prometheus_client import Gauge

from tenants.billing.invoices.clocks import process_time, require_agreement
from tenants.billing.invoices.collecting import at
from tenants.billing.invoices.errors import NotBillable
from tenants.billing.invoices.models import Seller
from tenants.billing.invoices.services import draw_month
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.months import Month

log = structlog.get_logger(__name__)
CLOCK_DIFFERENCE_S = Gauge(
    "maas_clock_difference_seconds", "How far this process's clock is ahead of the database's clock."
)
BILL_EVERY_S = 600.0
AT_ONCE = 1_000
FIRST_DELAY, LONGEST_DELAY = timedelta(minutes=10), timedelta(days=1)

_OPEN = """
SELECT t.id FROM tenants_tenant t
WHERE t.created_at < %(after_last)s AND t.id > %(after)s
  AND NOT EXISTS (SELECT FROM tenants_closedmonth c WHERE c.tenant_id = t.id AND c.month = %(first)s)
ORDER BY t.id LIMIT %(most)s
"""


@dataclass(frozen=True, slots=True)
class _Failed:
    times: int
    next_try: datetime


@dataclass
class RetryDelays:
    """The failures that one process remembers. A new process tries all tenants at once."""

    _failed: dict[UUID, _Failed] = field(default_factory=dict)

    def waits(self, tenant_id: UUID, now: datetime) -> bool:
        failed = self._failed.get(tenant_id)
        return failed is not None and now < failed.next_try

    def fail(self, tenant_id: UUID, now: datetime) -> None:
        failed = self._failed.get(tenant_id)
        times = failed.times + 1 if failed else 1
        self._failed[tenant_id] = _Failed(times, now + pause_after(times))

    def succeed(self, tenant_id: UUID) -> None:
        self._failed.pop(tenant_id, None)


def pause_after(failures: int) -> timedelta:
    doubled: timedelta = FIRST_DELAY * 2 ** min(failures - 1, 12)
    return min(LONGEST_DELAY, doubled)


def bill_ended_months(delays: RetryDelays | None = None, clock: Callable[[], datetime] = process_time) -> int:
    """Return the number of tenants' months that were closed. A tenant that cannot be billed does not delay others.

    `delays` remembers tenants that failed. `clock`, this process's, can only prevent that months are closed.
    """
    retry_delays = delays or RetryDelays()
    with operator_work():
        seller, now = Seller.objects.first(), database_now()
    if seller is None or not _clocks_agree(now, clock()):
        return 0
    return sum(
        _closed(tenant_id, month, retry_delays, now) for month in _ended(seller, now) for tenant_id in _open(month)
    )


def _clocks_agree(now: datetime, process: datetime) -> bool:
    CLOCK_DIFFERENCE_S.set((process - now).total_seconds())
    try:
        require_agreement(database=now, process=process)
    except NotBillable as error:
        log.error("clock_skew_detected", error=error.detail)
        return False
    return True


class Biller:
    """The billing job of a scheduler. It remembers the tenants whose months could not be billed."""

    def __init__(self) -> None:
        self._delays = RetryDelays()

    def bill_ended_months(self) -> int:
        return bill_ended_months(self._delays)


def _ended(seller: Seller, now: datetime) -> Iterator[Month]:
    """Yield the ended months. Late usage has some hours to arrive before its month is yielded."""
    month = Month.of(seller.bills_from)
    while now >= at(month.after_last) + timedelta(hours=settings.MAAS_INVOICE_AFTER_H):
        yield month
        month = month.next


def _open(month: Month) -> Iterator[UUID]:
    """Yield the tenants batch by batch, so that those that fail again and again do not block the others."""
    values: dict[str, Any] = {"first": month.first, "after_last": at(month.after_last), "most": AT_ONCE}
    after = UUID(int=0)
    while True:
        with operator_work(), connections[OPERATOR].cursor() as cursor:
            cursor.execute(_OPEN, {**values, "after": after})
            found = [tenant_id for (tenant_id,) in cursor.fetchall()]
        if not found:
            return
        yield from found
        after = found[-1]


def _closed(tenant_id: UUID, month: Month, delays: RetryDelays, now: datetime) -> bool:
    """Return whether the month was closed. After a failed month, later ones are not tried: billing is in order."""
    if delays.waits(tenant_id, now):
        return False
    try:
        draw_month(tenant_id, month, closes=True)
    except NotBillable as error:
        log.warning("month_not_billed", tenant_id=str(tenant_id), month=str(month), error=error.detail)
    except Exception:
        log.exception("month_not_billed", tenant_id=str(tenant_id), month=str(month))
    else:
        delays.succeed(tenant_id)
        return True
    delays.fail(tenant_id, now)
    return False
