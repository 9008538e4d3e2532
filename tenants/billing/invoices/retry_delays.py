"""The wait before a tenant's failed billing is tried again. It grows with each failure. Pure."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

FIRST = timedelta(minutes=10)
LONGEST = timedelta(days=1)
_MAX_DOUBLED = 12


@dataclass(frozen=True, slots=True)
class _Failed:
    times: int
    next_try: datetime


@dataclass
class RetryDelays:
    """The failures that one process remembers. A new process, for example after an update that fixed the cause, tries
    all tenants at once.
    """

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
    doubled: timedelta = FIRST * 2 ** min(failures - 1, _MAX_DOUBLED)
    return min(LONGEST, doubled)
