"""Checks of how much a tenant may store: before bytes are stored, and again when they are recorded."""

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
    """The tenant has used all of its storage. Sending the same request again helps only after something was deleted."""

    code = "account_storage_full"


@dataclass(frozen=True)
class StorageStanding:
    used_bytes: int
    max_bytes: int | None
    """The limit in bytes; None means unlimited."""

    @property
    def left_bytes(self) -> int | None:
        return None if self.max_bytes is None else max(0, self.max_bytes - self.used_bytes)

    @property
    def percent(self) -> int | None:
        """Return the used share in percent. It is never 100 before the storage is full."""
        return None if not self.max_bytes else min(100, self.used_bytes * 100 // self.max_bytes)


def max_stored_bytes(tenant_id: UUID) -> int | None:
    """Return the storage limit, or None without one. Call this inside a unit of work or operator work."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("SELECT storage_mb FROM tenants_chosenlimits WHERE id = %s", [tenant_id])
        found = cursor.fetchone()
    chosen = None if found is None else found[0]
    return (settings.MAAS_STORAGE_MB if chosen is None else int(chosen)) * MB or None


def storage_standing(tenant_id: UUID) -> StorageStanding:
    return StorageStanding(stored_bytes(tenant_id), max_stored_bytes(tenant_id))


def require_room_for_bytes(tenant_id: UUID, more_bytes: int) -> None:
    """Require capacity for more bytes. Raises AccountStorageFull.

    Another request may use the capacity before these bytes are recorded: see `require_kept_within`.
    """
    most = max_stored_bytes(tenant_id)
    if most is not None and more_bytes > 0:
        _require(stored_bytes(tenant_id), more_bytes, most)


def require_kept_within(tenant_id: UUID, more_bytes: int) -> None:
    """Require that the bytes which this transaction has recorded are within the limit. Raises AccountStorageFull.

    Call this as the last step of the transaction that recorded them, since no other transaction of the tenant passes
    this check until it ends. It takes no other lock after this one, so it never needs a lock that a waiting transaction
    holds.
    """
    most = max_stored_bytes(tenant_id)
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
        f"This account stores {used:,} of {most:,} allowed bytes, and this needs {more:,} more."
        " Delete documents, jobs or unfinished uploads, or ask for a larger plan.",
        extra={
            "limit": {"of": "tenant", "name": "storage", "amount": most},
            "used_bytes": used,
        },
    )
