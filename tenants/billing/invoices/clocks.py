"""Decides whether the clocks of a process and of the database agree well enough to close a month.

By the database's clock a month is over. Nothing else would show that it is wrong, and a closed month stays closed.
"""

from datetime import UTC, datetime, timedelta

from tenants.billing.invoices.errors import NotBillable

MAX_APART = timedelta(hours=1)
"""The largest accepted difference: far more than machines drift, and less than the wait for late usage."""


def process_time() -> datetime:
    return datetime.now(UTC)


def require_agreement(*, database: datetime, process: datetime) -> None:
    """Raise NotBillable if the two differ by more than MAX_APART."""
    if abs(process - database) > MAX_APART:
        raise NotBillable(
            f"The clocks differ, so no month can be closed: this process has {process:%Y-%m-%d %H:%M} UTC, the "
            f"database {database:%Y-%m-%d %H:%M} UTC. Correct the wrong clock. Up to one hour is allowed."
        )
