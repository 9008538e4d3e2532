"""How much a tenant may store: asked before bytes are kept, and again where they are written down."""

from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db import connections

from tenants.core.db.unit_of_work import APP, current_alias
from tenants.core.errors import DomainError
from tenants.limits.rates.metrics import REFUSED
from tenants.limits.storage.counting import stored_bytes

MB = 1_000_000


class AccountStorageFull(DomainError):
    """The tenant has stored what it may; to send the same again helps only once something was deleted."""

    code = "account_storage_full"


@dataclass(frozen=True)
class StorageStanding:
    used_bytes: int
    most_bytes: int | None
    """None for any number."""

    @property
    def left_bytes(self) -> int | None:
        return None if self.most_bytes is None else max(0, self.most_bytes - self.used_bytes)

    @property
    def percent(self) -> int | None:
        """Never 100 before it is full."""
        return None if not self.most_bytes else min(100, self.used_bytes * 100 // self.most_bytes)


def most_stored_bytes(tenant_id: UUID) -> int | None:
    """None for any number; inside a unit of work, or an operator's."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("SELECT storage_mb FROM tenants_chosenlimits WHERE id = %s", [tenant_id])
        found = cursor.fetchone()
    chosen = None if found is None else found[0]
    return (settings.MAAS_STORAGE_MB if chosen is None else int(chosen)) * MB or None


def storage_standing(tenant_id: UUID) -> StorageStanding:
    return StorageStanding(stored_bytes(tenant_id), most_stored_bytes(tenant_id))


def require_room_for_bytes(tenant_id: UUID, more_bytes: int) -> None:
    """Raises AccountStorageFull. Others may take the room until it is written down: see `require_kept_within`."""
    most = most_stored_bytes(tenant_id)
    if most is not None and more_bytes > 0:
        _require(stored_bytes(tenant_id), more_bytes, most)


def require_kept_within(tenant_id: UUID, more_bytes: int) -> None:
    """As the last thing in the transaction that has written them down, since nobody else's goes on until it ends.

    Whoever waits here holds nothing that the one before it could want: it takes no other lock after this one.
    """
    most = most_stored_bytes(tenant_id)
    if most is None or more_bytes <= 0:
        return
    with connections[APP].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"storage of {tenant_id}"])
    _require(stored_bytes(tenant_id) - more_bytes, more_bytes, most)


def _require(used: int, more: int, most: int) -> None:
    if used + more <= most:
        return
    REFUSED.labels("tenant", "storage").inc()
    raise AccountStorageFull(
        f"This account has {used:,} bytes stored of {most:,} that it may, and this takes {more:,} more."
        " Delete documents or jobs, give up unfinished uploads, or ask for a larger plan.",
        extra={
            "limit": {"of": "tenant", "name": "storage", "amount": most},
            "used_bytes": used,
        },
    )
