"""Decide whether the clocks of a process and of the database agree well enough to close a month.

The database's clock says when a month is over. If that clock is wrong, nothing else would show it, and a month that is
closed too early cannot be opened again. It is therefore compared with the process's clock.
"""

from datetime import UTC, datetime, timedelta

from tenants.billing.invoices.errors import NotBillable

MAX_APART = timedelta(hours=1)
"""The largest difference that is accepted. It is far more than machines drift, and less than the wait for late
usage.
"""


def process_time() -> datetime:
    return datetime.now(UTC)


def require_agreement(*, database: datetime, process: datetime) -> None:
    """Raise NotBillable if the two differ by more than MAX_APART."""
    if abs(process - database) > MAX_APART:
        raise NotBillable(
            f"The clocks differ, so no month can be closed: this process has {process:%Y-%m-%d %H:%M} UTC, the "
            f"database {database:%Y-%m-%d %H:%M} UTC. Correct the wrong clock. Up to one hour is allowed."
        )
