"""How much a tenant has stored, as one number; its lines are kept few."""

from uuid import UUID

from django.db import connections
from django.db.models import Sum

from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.limits.storage.models import StoredBytes

MOST_LINES = 50
"""Of a tenant's sum, until they are folded into one."""
MOST_TENANTS = 500

# One statement sees one moment: whatever is stored meanwhile writes its own line.
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
    """Inside a unit of work, or an operator's."""
    total = StoredBytes.objects.filter(tenant_id=tenant_id).aggregate(total=Sum("size_bytes"))
    return max(0, int(total["total"] or 0))


def fold_stored_bytes() -> int:
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_FOLD, {"lines": MOST_LINES, "tenants": MOST_TENANTS})
        return int(cursor.rowcount)
