"""Compares payments with the ledger, invoices with both, and all of it with the provider's list."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from django.db import connections

from tenants.billing.ledger.checks import Compared, differences
from tenants.billing.payments.models import Payment
from tenants.billing.payments.protocol import (
    COMPARED,
    Ours,
    ProviderAway,
    ProviderRefused,
    Standing,
    against_provider,
)
from tenants.billing.payments.providers import card_provider
from tenants.billing.payments.refunds import read_back_disputes
from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)
WINDOW = timedelta(days=7)
SETTLES_WITHIN = timedelta(hours=1)
"""The age below which payments are not compared, because events and read-backs take some time."""

_PAYMENTS = """
WITH booked AS (
    SELECT t.tenant_id, t.source_id, t.currency, -sum(e.amount_micros) AS micros
    FROM tenants_ledgertransaction t JOIN tenants_ledgerentry e ON e.transaction_id = t.id AND e.account = 'payments'
    WHERE t.kind = 'payment' AND t.source_kind = 'payment' GROUP BY 1, 2, 3
)
SELECT coalesce(p.tenant_id, b.tenant_id), 'payment', coalesce(p.currency, b.currency),
       coalesce(p.id, b.source_id)::text, coalesce(p.amount_micros, 0), coalesce(b.micros, 0)::bigint
FROM (SELECT * FROM tenants_payment WHERE status = 'succeeded') p
FULL JOIN booked b ON b.tenant_id = p.tenant_id AND b.source_id = p.id AND b.currency = p.currency
WHERE coalesce(p.amount_micros, 0) <> coalesce(b.micros, 0)
"""
_REFUNDS = """
WITH booked AS (
    SELECT t.tenant_id, t.source_id, t.currency, sum(e.amount_micros) AS micros
    FROM tenants_ledgertransaction t JOIN tenants_ledgerentry e ON e.transaction_id = t.id AND e.account = 'payments'
    WHERE t.kind IN ('refund', 'payment') AND t.source_kind = 'refund' GROUP BY 1, 2, 3
), given AS (
    SELECT r.tenant_id, r.id, p.currency, r.amount_micros
    FROM tenants_refund r JOIN tenants_payment p ON p.id = r.payment_id WHERE r.status = 'succeeded'
)
SELECT coalesce(g.tenant_id, b.tenant_id), 'refund', coalesce(g.currency, b.currency),
       coalesce(g.id, b.source_id)::text, coalesce(g.amount_micros, 0), coalesce(b.micros, 0)::bigint
FROM given g FULL JOIN booked b ON b.tenant_id = g.tenant_id AND b.source_id = g.id AND b.currency = g.currency
WHERE coalesce(g.amount_micros, 0) <> coalesce(b.micros, 0)
"""
# A refund that a bank sent back is listed until an operator has booked it.
_CAME_BACK = """
SELECT r.tenant_id, 'refund', p.currency, r.id::text, 0, r.amount_micros
FROM tenants_refund r JOIN tenants_payment p ON p.id = r.payment_id
WHERE r.status = 'succeeded' AND r.failure <> ''
"""
_PAID = """
SELECT i.tenant_id, 'invoice_paid', i.currency, i.number,
       coalesce(sum(p.invoice_micros - p.reopened_micros), 0)::bigint,
       i.paid_micros
FROM tenants_invoice i LEFT JOIN tenants_payment p ON p.invoice_id = i.id AND p.status = 'succeeded'
GROUP BY i.id HAVING coalesce(sum(p.invoice_micros - p.reopened_micros), 0) <> i.paid_micros
"""
_RECEIVABLE = """
WITH invoiced AS (
    SELECT tenant_id, currency, sum(due_micros - paid_micros - credited_micros - written_off_micros) AS micros
    FROM tenants_invoice GROUP BY 1, 2
), booked AS (
    SELECT tenant_id, currency, -sum(amount_micros) AS micros
    FROM tenants_ledgerentry WHERE account = 'receivable' GROUP BY 1, 2
)
SELECT coalesce(i.tenant_id, b.tenant_id), 'receivable', coalesce(i.currency, b.currency), 'invoices',
       coalesce(i.micros, 0)::bigint, coalesce(b.micros, 0)::bigint
FROM invoiced i FULL JOIN booked b ON b.tenant_id = i.tenant_id AND b.currency = i.currency
WHERE coalesce(i.micros, 0) <> coalesce(b.micros, 0)
"""
# A provider's report that does not fit is listed until it changes or an operator has cleared it.
_TOLD = """
SELECT tenant_id, 'provider', currency, id::text, reported_micros,
       CASE WHEN status = 'succeeded' THEN amount_micros ELSE 0 END
FROM tenants_payment WHERE reported_micros IS NOT NULL
"""
_OURS = """
SELECT p.id, p.tenant_id, p.currency, p.amount_micros,
       coalesce((SELECT sum(r.amount_micros) FROM tenants_refund r
                 WHERE r.payment_id = p.id AND r.status = 'succeeded' AND r.provider_id NOT LIKE 'd%%'), 0)::bigint
FROM tenants_payment p
WHERE p.provider = %(provider)s AND p.status = 'succeeded' AND p.reported_micros IS NULL
  AND (p.id = ANY(%(ids)s) OR (p.created_at >= %(since)s AND p.succeeded_at < %(until)s))
"""
# The compared period. It starts at the oldest known difference, which would count as gone by its age otherwise.
_SINCE = """
SELECT least(now() - make_interval(secs => %s), (
    SELECT min(p.created_at) FROM tenants_ledgerdifference d
    JOIN tenants_payment p ON p.tenant_id = d.tenant_id AND p.id::text = d.subject
    WHERE d.compared = 'provider' AND d.resolved_at IS NULL
)), now() - make_interval(secs => %s)
"""


def compare_payments() -> list[Compared]:
    found: list[Compared] = []
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        for statement in (_PAYMENTS, _REFUNDS, _CAME_BACK, _PAID, _RECEIVABLE, _TOLD):
            cursor.execute(statement)
            found += [Compared(*row) for row in cursor.fetchall()]
    return found


def compare_provider() -> list[Compared] | None:
    """Return the differences, or None if the provider could not be queried: then no difference counts as gone."""
    provider = card_provider()
    if provider is None:
        return []
    since, until = _window()
    try:
        theirs = list(provider.paid_since(since))
    except (ProviderAway, ProviderRefused) as error:
        log.warning("payments_not_reconciled", error=str(error))
        return None
    return _compared(provider.name, theirs, since, until)


def _compared(provider: str, theirs: Iterable[Standing], since: datetime, until: datetime) -> list[Compared]:
    reported = {their.payment_id: their for their in theirs if their.payment_id is not None}
    named = list(reported)
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        values: dict[str, Any] = {"provider": provider, "ids": named, "since": since, "until": until}
        cursor.execute(_OURS, values)
        ours = {row[0]: Ours(*row[1:]) for row in cursor.fetchall()}
        settled = {
            payment_id: their
            for payment_id, their in reported.items()
            if payment_id in ours or _is_old(payment_id, until)
        }
        news = _unless_cleared(settled, ours)
        ours = {payment_id: our for payment_id, our in ours.items() if payment_id in news or payment_id not in settled}
        tenants = _tenants(cursor, news)
        of_other_tenants = _told_otherwise(cursor, named)
    compared = against_provider(ours, news.values(), tenants=tenants)
    return differences(comparison for comparison in compared if comparison.subject not in of_other_tenants)


def _unless_cleared(reported: dict[UUID, Standing], ours: Mapping[UUID, Ours]) -> dict[UUID, Standing]:
    """Leave out reports that an operator has cleared, as long as amount and refunds stay the same."""
    cleared = {payment.id: payment for payment in Payment.objects.filter(id__in=reported, cleared_micros__isnull=False)}
    return {
        payment_id: their
        for payment_id, their in reported.items()
        if not _is_cleared(cleared.get(payment_id), their, ours.get(payment_id))
    }


def _is_cleared(payment: Payment | None, their: Standing, our: Ours | None) -> bool:
    if payment is None or (our is not None and our.back_micros != their.refunded_micros):
        return False
    return payment.is_cleared(their.amount_micros, their.currency, their.provider_id)


def _window() -> tuple[datetime, datetime]:
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_SINCE, [WINDOW.total_seconds(), SETTLES_WITHIN.total_seconds()])
        since, until = cursor.fetchone()
    return since, until


def _is_old(payment_id: UUID, until: datetime) -> bool:
    """Return whether the payment was made before `until`. Our ids begin with the millisecond of their creation."""
    return payment_id.int >> 80 < int(until.timestamp() * 1000)


def _tenants(cursor: Any, reported: dict[UUID, Standing]) -> dict[UUID, UUID]:
    """Return the tenants of payments, from our rows first, then from what the provider was given. All exist."""
    cursor.execute("SELECT id, tenant_id FROM tenants_payment WHERE id = ANY(%s)", [list(reported)])
    tenants: dict[UUID, UUID] = dict(cursor.fetchall())
    claimed = {standing.tenant_id for standing in reported.values() if standing.tenant_id is not None}
    cursor.execute("SELECT id FROM tenants_tenant WHERE id = ANY(%s)", [list(claimed)])
    there = {tenant_id for (tenant_id,) in cursor.fetchall()}
    claimed_tenants = {
        payment_id: their.tenant_id for payment_id, their in reported.items() if their.tenant_id in there
    }
    return {
        **{payment_id: tenant for payment_id, tenant in claimed_tenants.items() if tenant is not None},
        **tenants,
    }


def _told_otherwise(cursor: Any, ids: list[UUID]) -> set[str]:
    """Return the payments whose rows show a difference already."""
    cursor.execute("SELECT id::text FROM tenants_payment WHERE id = ANY(%s) AND reported_micros IS NOT NULL", [ids])
    return {payment_id for (payment_id,) in cursor.fetchall()}


def reconcile_payments() -> tuple[list[Compared], tuple[str, ...]]:
    """Return the differences, and the names of comparisons that could not be made."""
    read_back_disputes()
    theirs = compare_provider()
    not_compared = (COMPARED,) if theirs is None else ()
    return [*compare_payments(), *(theirs or [])], not_compared
