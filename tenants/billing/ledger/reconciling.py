"""Compares the books with each other, in the operator's scope, and stores the differences for an operator to
investigate.

Each comparison is one statement and sees one moment, so work in progress makes no difference.
"""

from collections.abc import Container, Iterable
from dataclasses import asdict
from datetime import date
from uuid import UUID

import structlog
from django.db import connections, transaction
from django.db.models.functions import Now

from tenants.accounts.models import Tenant
from tenants.billing.ledger.check_scope import EVERYTHING, CheckScope, Open, tonight
from tenants.billing.ledger.checks import Compared, differences
from tenants.billing.ledger.models import LedgerDifference
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)
OF_DAYS = ("day_amount", "day_entries")
STORED_BYTES, JOB_HOLD = "stored_bytes", "job_hold"
"""Comparisons that read only a part each night. What they found is read again until it is resolved."""

# The sums of days are compared with the wallet. That they are those of the entries is compared day by day.
_LEDGER = """
WITH sums AS (
    SELECT tenant_id, currency, sum(amount_micros) FILTER (WHERE account = 'credit') AS credit,
           sum(amount_micros) FILTER (WHERE account = 'held') AS held, sum(amount_micros) AS whole
    FROM tenants_ledgerday GROUP BY tenant_id, currency
)
SELECT tenant_id, side.compared, currency, 'wallet', side.expected::bigint, side.found::bigint
FROM tenants_wallet w FULL JOIN sums USING (tenant_id, currency),
LATERAL (VALUES
    ('available', coalesce(credit, 0), coalesce(w.available_micros, 0)),
    ('held', coalesce(held, 0), coalesce(w.held_micros, 0)),
    ('balanced', 0, coalesce(whole, 0))
) AS side (compared, expected, found)
WHERE side.expected <> side.found
"""
_DAYS = """
WITH there AS (
    SELECT e.tenant_id, e.currency, t.day, t.kind, e.account, sum(e.amount_micros) AS micros, count(*) AS entries
    FROM tenants_ledgertransaction t JOIN tenants_ledgerentry e ON e.transaction_id = t.id
    {of_days}
    GROUP BY 1, 2, 3, 4, 5
), summed AS (
    SELECT tenant_id, currency, day, kind, account, amount_micros AS micros, entries FROM tenants_ledgerday t {of_days}
)
SELECT tenant_id, side.compared, currency, concat_ws(' ', day, kind, account), side.expected::bigint, side.found::bigint
FROM there FULL JOIN summed USING (tenant_id, currency, day, kind, account),
LATERAL (VALUES
    ('day_amount', coalesce(there.micros, 0), coalesce(summed.micros, 0)),
    ('day_entries', coalesce(there.entries, 0), coalesce(summed.entries, 0))
) AS side (compared, expected, found)
WHERE side.expected <> side.found
"""
_ALL_DAYS = _DAYS.format(of_days="")
_SOME_DAYS = _DAYS.format(of_days="WHERE t.day = ANY(%(days)s)")
_SINCE = "date_trunc('day', now() - interval '2 days')"
# This compares day by day and leaves jobs out. The source of a cache hit of a call is the usage record itself, and that
# of a page is the page. Nothing was charged on days before the wallet existed.
_CALLS = f"""
WITH used AS (
    SELECT tenant_id, currency, (created_at AT TIME ZONE 'UTC')::date AS day, sum(amount_micros) AS micros
    FROM tenants_usagerecord
    WHERE (source_kind IN ('call', 'batch_line', 'hosting') OR (source_kind = 'cache' AND source_id = id))
      AND created_at >= {_SINCE}
    GROUP BY 1, 2, 3
), charged AS (
    SELECT t.tenant_id, t.currency, t.day, sum(e.amount_micros) AS micros
    FROM tenants_ledgertransaction t JOIN tenants_ledgerentry e ON e.transaction_id = t.id AND e.account = 'revenue'
    WHERE t.kind = 'charge' AND t.source_kind IN ('call', 'batch_line', 'cache', 'hosting') AND t.day >= {_SINCE}::date
    GROUP BY 1, 2, 3
), spared AS (
    SELECT tenant_id, currency, day, sum(saved_micros) AS micros
    FROM tenants_includeduse
    WHERE source_kind IN ('call', 'batch_line', 'cache', 'hosting') AND day >= {_SINCE}::date
    GROUP BY 1, 2, 3
)
SELECT u.tenant_id, 'calls', u.currency, u.day::text, u.micros::bigint,
       (coalesce(c.micros, 0) + coalesce(i.micros, 0))::bigint
FROM used u JOIN tenants_wallet w USING (tenant_id, currency)
LEFT JOIN charged c USING (tenant_id, currency, day) LEFT JOIN spared i USING (tenant_id, currency, day)
WHERE u.day > (w.opened_at AT TIME ZONE 'UTC')::date AND u.micros <> coalesce(c.micros, 0) + coalesce(i.micros, 0)
"""  # noqa: S608  # made of constants alone
# This compares each pool of included units with its uses and holds, in units without a currency.
_POOLS = """
WITH used AS (
    SELECT tenant_id, pool_id AS id, sum(quantity) AS units FROM tenants_includeduse GROUP BY 1, 2
), held AS (
    SELECT tenant_id, pool_id AS id, sum(quantity) AS units FROM tenants_includedhold GROUP BY 1, 2
)
SELECT tenant_id, side.compared, '', id::text, side.expected::bigint, side.found::bigint
FROM tenants_includedpool p LEFT JOIN used USING (tenant_id, id) LEFT JOIN held USING (tenant_id, id),
LATERAL (VALUES
    ('included_used', coalesce(used.units, 0), p.used), ('included_held', coalesce(held.units, 0), p.held)
) AS side (compared, expected, found)
WHERE side.expected <> side.found
"""


def compare_ledger(scope: CheckScope = EVERYTHING) -> list[Compared]:
    """Compare entries with wallets, uses and holds with pools, and the usage of calls with the charges for it.

    Wallets are compared with the sums of days, and these with the entries of the days in `scope`.
    """
    found: list[Compared] = []
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        for statement in (_LEDGER, _POOLS, _CALLS, _ALL_DAYS if scope.days is None else _SOME_DAYS):
            cursor.execute(statement, {"days": list(scope.days or ())})
            found += (Compared(*row) for row in cursor.fetchall())
    return differences(found)


def scope_of_tonight() -> CheckScope:
    """Return what the check of this night reads row by row."""
    today = database_now().date()
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute("SELECT min(day) FROM tenants_ledgerday")
        (first,) = cursor.fetchone()
        tenants = Tenant.objects.values_list("id", flat=True)
        return tonight(today, first or today, tenants, _still_open())


def _still_open() -> Open:
    found = list(LedgerDifference.objects.filter(resolved_at=None).values_list("compared", "subject", "tenant_id"))
    days = {date.fromisoformat(subject.split()[0]) for compared, subject, _ in found if compared in OF_DAYS}
    return Open(
        frozenset(days),
        frozenset(tenant for compared, _, tenant in found if compared == STORED_BYTES),
        frozenset(tenant for compared, _, tenant in found if compared == JOB_HOLD),
    )


def note_difference(comparison: Compared) -> None:
    """Store a difference in the transaction that noticed it. The next check finds it too, or marks it as gone."""
    existing = LedgerDifference.objects.filter(
        tenant_id=comparison.tenant_id,
        compared=comparison.compared,
        currency=comparison.currency,
        subject=comparison.subject,
        resolved_at=None,
    )
    if not existing.exists():
        _tell(comparison)


def difference_is_gone(tenant_id: UUID, compared: str, subject: str) -> None:
    """Mark a difference as gone when somebody has dealt with it, without waiting for the next check."""
    LedgerDifference.objects.filter(tenant_id=tenant_id, compared=compared, subject=subject, resolved_at=None).update(
        resolved_at=Now()
    )


def keep_differences(found: Iterable[Compared], *, not_compared: Container[str] = ()) -> int:
    """Store and log new differences, mark absent ones as gone if their comparison was made, and return the count."""
    now = {comparison.subject_of_all: comparison for comparison in found}
    with operator_work(), transaction.atomic(using=OPERATOR):
        existing = {
            (row.tenant_id, row.compared, row.currency, row.subject): row
            for row in LedgerDifference.objects.select_for_update().filter(resolved_at=None)
        }
        gone = [row.pk for subject, row in existing.items() if subject not in now and row.compared not in not_compared]
        LedgerDifference.objects.filter(pk__in=gone).update(resolved_at=Now())
        for subject, comparison in now.items():
            if subject not in existing:
                _tell(comparison)
    return len(now)


def _tell(comparison: Compared) -> None:
    values = asdict(comparison)
    LedgerDifference.objects.create(**values)
    log.warning("ledger_mismatch_found", **values | {"tenant_id": str(comparison.tenant_id)})
