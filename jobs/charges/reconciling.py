"""Compares jobs with the ledger, settles what an older version of the product left held, and reports differences."""

from datetime import date
from uuid import UUID

import structlog
from django.db import DatabaseError, connections

from jobs.charges.money import let_go_of_units, settle_ended
from jobs.core import states
from jobs.core.models import Job
from tenants.billing.invoices.reconciling import compare_invoices
from tenants.billing.ledger.check_scope import EVERYTHING, CheckScope
from tenants.billing.ledger.checks import Compared, differences
from tenants.billing.ledger.reconciling import STORED_BYTES, compare_ledger, keep_differences, scope_of_tonight
from tenants.billing.payments.reconciling import reconcile_payments
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work

log = structlog.get_logger(__name__)

# A single statement sees a single moment: anything that is stored meanwhile writes its own row.
_CORRECT = """
WITH counted AS (
    SELECT tenant_id, sum(size_bytes) AS bytes FROM tenants_storedbytes {of_tenants} GROUP BY tenant_id
), there AS (
    SELECT tenant_id, sum(size_bytes) AS bytes FROM jobs_storedthings {of_tenants} GROUP BY tenant_id
), wrong AS (
    SELECT tenant_id, coalesce(there.bytes, 0)::bigint AS there, coalesce(counted.bytes, 0)::bigint AS counted
    FROM there FULL JOIN counted USING (tenant_id)
    WHERE coalesce(there.bytes, 0) <> coalesce(counted.bytes, 0)
), corrected AS (
    INSERT INTO tenants_storedbytes (tenant_id, size_bytes) SELECT tenant_id, there - counted FROM wrong
)
SELECT tenant_id, there, counted FROM wrong
"""
_CORRECT_ALL = _CORRECT.format(of_tenants="")
_CORRECT_SOME = _CORRECT.format(of_tenants="WHERE tenant_id = ANY(%(tenants)s)")
_ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtext('stored bytes are corrected'))"


def correct_stored_bytes(scope: CheckScope = EVERYTHING) -> dict[UUID, Compared]:
    """Correct wrong counts of bytes, notify the operator, and return the differences by tenant."""
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_ONE_AT_A_TIME)
        statement = _CORRECT_ALL if scope.tenants is None else _CORRECT_SOME
        cursor.execute(statement, {"tenants": list(scope.tenants or ())})
        rows = cursor.fetchall()
    for tenant_id, there, counted in rows:
        log.error("stored_bytes_corrected", tenant_id=str(tenant_id), corrected_by_bytes=there - counted)
    return {
        tenant_id: Compared(tenant_id, STORED_BYTES, "", "bytes", there, counted) for tenant_id, there, counted in rows
    }


AT_ONCE = 500

# This compares what a job says it has set aside with what the ledger holds for it. Looked at are the holds of all jobs
# that have one, those of the days in scope, and all of the tenants whose jobs do not add up to what their wallet holds.
_HOLDS = """
WITH held AS (
    SELECT tenant_id, id, currency, held_micros FROM jobs_job WHERE held_micros IS NOT NULL
), doubtful AS (
    SELECT tenant_id FROM tenants_wallet w
    FULL JOIN (SELECT tenant_id, currency, sum(held_micros) AS micros FROM held GROUP BY 1, 2) jobs
        USING (tenant_id, currency)
    WHERE coalesce(jobs.micros, 0) <> coalesce(w.held_micros, 0)
    UNION SELECT unnest(%(doubtful)s::uuid[])
), looked_at AS (
    SELECT t.id FROM held h JOIN tenants_ledgertransaction t
        ON t.tenant_id = h.tenant_id AND t.source_id = h.id AND t.source_kind = 'job' AND t.kind = 'hold'
    UNION
    SELECT t.id FROM doubtful JOIN tenants_ledgertransaction t
        ON t.tenant_id = doubtful.tenant_id AND t.source_kind = 'job' AND t.kind = 'hold'
    UNION
    SELECT t.id FROM tenants_ledgertransaction t WHERE t.source_kind = 'job' AND t.kind = 'hold' {of_days}
), open AS (
    SELECT t.tenant_id, t.source_id, t.currency, e.amount_micros
    FROM looked_at JOIN tenants_ledgertransaction t USING (id)
    JOIN tenants_ledgerentry e ON e.transaction_id = t.id AND e.account = 'held'
    WHERE NOT EXISTS (
        SELECT FROM tenants_ledgertransaction s
        WHERE s.tenant_id = t.tenant_id AND s.source_kind = t.source_kind AND s.source_id = t.source_id
          AND s.kind IN ('charge', 'release')
    )
)
SELECT coalesce(o.tenant_id, h.tenant_id), 'job_hold', coalesce(o.currency, h.currency),
       coalesce(o.source_id, h.id)::text, coalesce(h.held_micros, 0), coalesce(o.amount_micros, 0)
FROM open o FULL JOIN held h ON h.tenant_id = o.tenant_id AND h.id = o.source_id
WHERE coalesce(h.held_micros, 0) <> coalesce(o.amount_micros, 0)
"""
_ALL_HOLDS = _HOLDS.format(of_days="")
_SOME_HOLDS = _HOLDS.format(of_days="AND t.day = ANY(%(days)s)")
# This compares the cost of jobs that ended recently with what was charged for them or included. It leaves out jobs from
# before there was a wallet.
_COSTS = """
SELECT j.tenant_id, 'job_cost', j.currency, j.id::text, j.cost_micros,
       (coalesce(e.amount_micros, 0) + coalesce(i.saved_micros, 0))::bigint
FROM jobs_job j JOIN tenants_wallet w ON w.tenant_id = j.tenant_id AND w.currency = j.currency
LEFT JOIN tenants_ledgertransaction t ON t.tenant_id = j.tenant_id AND t.source_kind = 'job' AND t.source_id = j.id
    AND t.kind IN ('charge', 'release')
LEFT JOIN tenants_ledgerentry e ON e.transaction_id = t.id AND e.account = 'revenue'
LEFT JOIN LATERAL (
    SELECT sum(u.saved_micros) AS saved_micros FROM tenants_includeduse u
    WHERE u.tenant_id = j.tenant_id AND u.source_kind = 'job' AND u.source_id = j.id
) i ON true
WHERE j.livemode AND j.finished_at >= greatest(w.opened_at, now() - interval '2 days')
  AND j.cost_micros <> coalesce(e.amount_micros, 0) + coalesce(i.saved_micros, 0)
"""
# These are included units that are set aside for a job that has no money set aside any more.
_UNITS = """
SELECT i.tenant_id, 'job_units', '', i.source_id::text, 0, sum(i.quantity)::bigint
FROM tenants_includedhold i LEFT JOIN jobs_job j ON j.tenant_id = i.tenant_id AND j.id = i.source_id
WHERE i.source_kind = 'job' AND j.held_micros IS NULL
GROUP BY 1, 4
"""
_LEFT_UNITS = """
SELECT DISTINCT j.tenant_id, j.id
FROM tenants_includedhold i JOIN jobs_job j ON j.tenant_id = i.tenant_id AND j.id = i.source_id
WHERE i.source_kind = 'job' AND j.held_micros IS NULL AND j.state <> ALL(%(open)s) LIMIT %(most)s
"""
_STRANDED = """
SELECT tenant_id, id FROM jobs_job WHERE held_micros IS NOT NULL AND state <> ALL(%(open)s) LIMIT %(most)s
"""


def reconcile_tonight() -> int:
    """Compare the books as every night: from sums, and a part of all rows one by one. See docs/money.md."""
    return reconcile(scope_of_tonight())


def reconcile(scope: CheckScope = EVERYTHING) -> int:
    """Compare the books and return the number of differences that there are now."""
    settle_stranded_jobs()
    # These are corrected already, and are reported until the next check.
    stored = correct_stored_bytes(scope).values()
    of_payments, not_compared = reconcile_payments()
    found = [*compare_ledger(scope), *compare_jobs(scope), *compare_invoices(), *of_payments, *stored]
    return keep_differences(found, not_compared=not_compared)


def compare_jobs(scope: CheckScope = EVERYTHING) -> list[Compared]:
    values: dict[str, list[date] | list[UUID]] = {"days": list(scope.days or ()), "doubtful": list(scope.doubtful)}
    found = []
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        for statement in (_ALL_HOLDS if scope.days is None else _SOME_HOLDS, _COSTS, _UNITS):
            cursor.execute(statement, values)
            found += [Compared(*row) for row in cursor.fetchall()]
    return differences(found)


def settle_stranded_jobs() -> int:
    """Settle jobs that were ended by a process of a version without holds. Return how many were settled."""
    values: dict[str, list[str] | int] = {"open": list(states.UNFINISHED), "most": AT_ONCE}
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_STRANDED, values)
        stranded = cursor.fetchall()
        cursor.execute(_LEFT_UNITS, values)
        left_units = cursor.fetchall()
    found = [(job, True) for job in stranded] + [(job, False) for job in left_units]
    return sum(_settled(*job, held=held) for job, held in found)


def _settled(tenant_id: UUID, job_id: UUID, *, held: bool) -> bool:
    """Settle an ended job, or release its units if nothing is held, and return whether that was done.

    A failure is reported as a difference and holds up no other job.
    """
    about = {"tenant_id": str(tenant_id), "job_id": str(job_id)}
    try:
        with unit_of_work(tenant_id):
            found = Job.objects.select_for_update(no_key=True).filter(id=job_id, held_micros__isnull=not held)
            job = found.exclude(state__in=states.UNFINISHED).first()
            if job is None:
                return False
            if held:
                Job.objects.filter(id=job.id).update(held_micros=None)
                settle_ended([job])
            else:
                let_go_of_units(job)
    except DatabaseError:
        log.exception("hold_not_settled", **about)
        return False
    log.warning("orphaned_hold_settled", **about)
    return True
