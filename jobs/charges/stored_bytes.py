"""Compares the count of what tenants have stored with what is there, and corrects it."""

from uuid import UUID

import structlog
from django.db import connections

from tenants.billing.ledger.checks import Compared
from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)

# A single statement sees a single moment: anything that is stored meanwhile writes its own row.
_CORRECT = """
WITH counted AS (
    SELECT tenant_id, sum(size_bytes) AS bytes FROM tenants_storedbytes GROUP BY tenant_id
), there AS (
    SELECT tenant_id, sum(size_bytes) AS bytes FROM jobs_storedthings GROUP BY tenant_id
), wrong AS (
    SELECT tenant_id, coalesce(there.bytes, 0)::bigint AS there, coalesce(counted.bytes, 0)::bigint AS counted
    FROM there FULL JOIN counted USING (tenant_id)
    WHERE coalesce(there.bytes, 0) <> coalesce(counted.bytes, 0)
), corrected AS (
    INSERT INTO tenants_storedbytes (tenant_id, size_bytes) SELECT tenant_id, there - counted FROM wrong
)
SELECT tenant_id, there, counted FROM wrong
"""
COMPARED = "stored_bytes"
_ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtext('stored bytes are corrected'))"


def correct_stored_bytes() -> dict[UUID, Compared]:
    """Correct wrong counts of bytes, notify the operator, and return the differences by tenant."""
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_ONE_AT_A_TIME)
        cursor.execute(_CORRECT)
        rows = cursor.fetchall()
    for tenant_id, there, counted in rows:
        log.error("stored_bytes_corrected", tenant_id=str(tenant_id), corrected_by_bytes=there - counted)
    return {
        tenant_id: Compared(tenant_id, COMPARED, "", "bytes", there, counted)
        for tenant_id, there, counted in rows
    }
