"""The number of bytes that a tenant has stored. The rows of this sum are folded so that they stay few."""

from uuid import UUID

from django.db import connections
from django.db.models import Sum

from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.limits.storage.models import StoredBytes

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


def stored_bytes(tenant_id: UUID) -> int:
    """Return the number of bytes that a tenant has stored. Call this inside a unit of work or operator work."""
    total = StoredBytes.objects.filter(tenant_id=tenant_id).aggregate(total=Sum("size_bytes"))
    return max(0, int(total["total"] or 0))


def fold_stored_bytes() -> int:
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_FOLD, {"lines": MAX_LINES, "tenants": MAX_TENANTS})
        return int(cursor.rowcount)
