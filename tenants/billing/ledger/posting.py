"""Writes one money transaction: its row, the entries, the wallet and the budgets in one statement, or none of them.

The wallet's row is the last lock to be taken, and all other money rows are changed only under it. This prevents
deadlocks.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal
from uuid import UUID

from django.db import connections

from tenants.billing.ledger.models import Wallet
from tenants.billing.ledger.postings import CREDIT, HELD, Posting
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import current_alias
from tenants.core.ids import uuid7

Bound = Literal["none", "floor", "unbounded"]
"""The condition for a posting: a prepaid balance stays at its floor or above, or nothing bounds the spending at all."""

BUDGET_KEY = "(SELECT maas_budget_key(%(key)s::uuid))"
"""SQL for the key whose budgets a key uses: the key itself, or the key that it replaced."""
TODAY = "(clock_timestamp() AT TIME ZONE 'UTC')::date"
THIS_MONTH = "date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC')::date"
_BOUNDS: Mapping[Bound, str] = {
    "none": "",
    "floor": "AND (kind = 'invoiced' OR available_micros + credit_line_micros + %(credit)s >= 0)",
    "unbounded": """AND kind = 'invoiced'
          AND NOT EXISTS (SELECT FROM tenants_budget b WHERE b.tenant_id = %(tenant)s AND b.currency = %(currency)s)""",
}
_BUDGETS = f"""
, counted AS (
    UPDATE tenants_budget SET
        month = {THIS_MONTH},
        used_micros = CASE WHEN month = {THIS_MONTH} THEN used_micros ELSE 0 END
            + CASE WHEN date_trunc('month', coalesce(%(day)s::date, {TODAY}))::date = {THIS_MONTH}
                   THEN %(used)s ELSE 0 END,
        held_micros = greatest(0, held_micros + %(held)s)
    WHERE tenant_id = %(tenant)s AND currency = %(currency)s
      AND (api_key_id IS NULL OR api_key_id = {BUDGET_KEY}) AND EXISTS (SELECT FROM wallet)
)
"""  # noqa: S608  # made of constants alone
# The lock is a separate statement. A statement that waits for the row continues with its old view of other tables, in
# which a new budget may be missing.
_LOCK = "SELECT FROM tenants_wallet WHERE tenant_id = %(tenant)s AND currency = %(currency)s FOR NO KEY UPDATE"
_POST = """
WITH wallet AS (
    UPDATE tenants_wallet
    SET available_micros = available_micros + %(credit)s, held_micros = held_micros + %(held)s
    WHERE tenant_id = %(tenant)s AND currency = %(currency)s {bound}
    RETURNING id
), posted AS (
    INSERT INTO tenants_ledgertransaction (id, tenant_id, kind, source_kind, source_id, currency, day, api_key_id,
                                           reason, made_by, earlier, created_at)
    SELECT %(id)s, %(tenant)s, %(kind)s, %(source_kind)s, %(source_id)s, %(currency)s,
           coalesce(%(day)s::date, {today}), %(key)s::uuid, %(reason)s, %(made_by)s, %(earlier)s::jsonb,
           clock_timestamp()
    FROM wallet
    RETURNING id
){budgets}
INSERT INTO tenants_ledgerentry (tenant_id, transaction_id, account, amount_micros, currency)
SELECT %(tenant)s, posted.id, entry.account, entry.amount_micros, %(currency)s
FROM posted, unnest(%(accounts)s::text[], %(amounts)s::bigint[]) AS entry (account, amount_micros)
"""
_POSTS: Mapping[tuple[Bound, bool], str] = {
    (bound, budgets): _POST.format(today=TODAY, bound=condition, budgets=_BUDGETS if budgets else "")
    for bound, condition in _BOUNDS.items()
    for budgets in (False, True)
}
# A tenant with any prepaid balance may not run up a debt in another currency.
_OPEN = """
INSERT INTO tenants_wallet
    (id, tenant_id, currency, kind, credit_line_micros, available_micros, held_micros, opened_at)
SELECT %(id)s, %(tenant)s, %(currency)s,
       CASE WHEN EXISTS (SELECT FROM tenants_wallet w WHERE w.tenant_id = %(tenant)s AND w.kind = 'prepaid')
            THEN 'prepaid' ELSE 'invoiced' END,
       0, 0, 0, now()
ON CONFLICT (tenant_id, currency) DO NOTHING
"""


@dataclass(frozen=True, slots=True)
class Source:
    """The source of a money transaction. Its `id` stays the same if the request is repeated."""

    tenant_id: UUID
    kind: str
    id: UUID
    currency: str
    key_id: UUID | None = None
    day: date | None = None
    """The day in UTC that it counts for. None means today by the database's clock."""
    reason: str = ""
    made_by: str = ""

    @property
    def named(self) -> dict[str, Any]:
        """Return the values as a dictionary of the parameters in the SQL statement."""
        return {
            "tenant": self.tenant_id,
            "source_kind": self.kind,
            "source_id": self.id,
            "currency": self.currency,
            "key": self.key_id,
            "day": self.day,
            "reason": self.reason,
            "made_by": self.made_by,
        }


def post(
    source: Source,
    posting: Posting,
    *,
    bound: Bound = "none",
    counts: bool = False,
    earlier: Mapping[date, int] | None = None,
) -> bool:
    """Write a posting inside a transaction. Return False, with nothing written, if a limit forbids it or there is no
    wallet.

    With `counts`, the collected amount counts toward this month's budgets. `earlier` is the part of it that is for
    work of earlier months, by month.
    """
    credit, held = posting.moved(CREDIT), posting.moved(HELD)
    values = {
        **source.named,
        "id": uuid7(),
        "kind": posting.kind,
        "earlier": json.dumps({f"{month:%Y-%m}": micros for month, micros in earlier.items()}) if earlier else None,
        "credit": credit,
        "held": held,
        "used": -(credit + held),
        "accounts": [entry.account for entry in posting.entries],
        "amounts": [entry.amount_micros for entry in posting.entries],
    }
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_LOCK, values)
        cursor.execute(_POSTS[bound, counts], values)
        return bool(cursor.rowcount)


def open_wallet(tenant_id: UUID, currency: str) -> None:
    """Create the wallet if there is none."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_OPEN, {"id": uuid7(), "tenant": tenant_id, "currency": currency})


def locked_wallet(tenant_id: UUID, currency: str) -> Wallet:
    """Return the wallet, created if there is none. All else about its money waits until the transaction ends."""
    open_wallet(tenant_id, currency)
    return Wallet.objects.select_for_update(no_key=True).get(tenant_id=tenant_id, currency=currency)


def first_of_this_month() -> date:
    """Return the first day of the month that budgets count in, by the database's clock and in UTC."""
    return database_now().date().replace(day=1)
