"""How much a tenant has stored and may store, checked before bytes are stored and again when they are recorded."""

from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db import connections
from django.db.models import Sum

from tenants.core.db.unit_of_work import APP, OPERATOR, current_alias, operator_work
from tenants.core.errors import DomainError
from tenants.limits.quota.models import StoredBytes
from tenants.limits.quota.wording import MB
from tenants.limits.rates.metrics import REFUSED

MAX_LINES = 50
"""The most rows of a tenant's sum before they are folded into one row."""
MAX_TENANTS = 500

# One statement sees one snapshot. Anything that is stored in the meantime adds a row of its own.
_FOLD = """
WITH long AS (
    SELECT tenant_id FROM tenants_storedbytes GROUP BY tenant_id HAVING count(*) > %(lines)s LIMIT %(tenants)s
), folded AS (
    DELETE FROM tenants_storedbytes WHERE id IN (
        SELECT s.id FROM tenants_storedbytes s JOIN long USING (tenant_id) FOR UPDATE OF s SKIP LOCKED
    ) RETURNING tenant_id, size_bytes
)
INSERT INTO tenants_storedbytes (tenant_id, size_bytes) SELECT tenant_id, sum(size_bytes) FROM folded GROUP BY tenant_id
"""


class AccountStorageFull(DomainError):
    """The tenant has used all of its storage. Sending the same request again helps only after something was deleted."""

    code = "account_storage_full"
    gate = "account_storage"


@dataclass(frozen=True)
class StorageStanding:
    used_bytes: int
    max_bytes: int | None
    """The limit in bytes; None means unlimited."""

    @property
    def percent(self) -> int | None:
        """Return the used share in percent. It is never 100 before the storage is full."""
        return None if not self.max_bytes else min(100, self.used_bytes * 100 // self.max_bytes)


def stored_bytes(tenant_id: UUID) -> int:
    """Return the number of bytes that a tenant has stored. Call this inside a unit of work or operator work."""
    total = StoredBytes.objects.filter(tenant_id=tenant_id).aggregate(total=Sum("size_bytes"))
    return max(0, int(total["total"] or 0))


def fold_stored_bytes() -> int:
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_FOLD, {"lines": MAX_LINES, "tenants": MAX_TENANTS})
        return int(cursor.rowcount)


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
    """Require capacity for more bytes, which `require_kept_within` checks again. Raises AccountStorageFull."""
    most = max_stored_bytes(tenant_id)
    if most is not None and more_bytes > 0:
        _require(stored_bytes(tenant_id), more_bytes, most)


def require_kept_within(tenant_id: UUID, more_bytes: int) -> None:
    """Require that the bytes which this transaction has recorded are within the limit. Raises AccountStorageFull.

    Call this last in the transaction: no other of the tenant passes until it ends, and it takes no lock after this one.
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
            "limit": {"scope": "tenant", "name": "storage", "amount": most},
            "used_bytes": used,
        },
    )
