"""Compares invoices with the ledger, and invoice numbers with each other, in the operator's scope."""

from django.db import connections

from tenants.billing.ledger.checks import Compared, differences
from tenants.core.db.unit_of_work import OPERATOR, operator_work

# The due amount and tax of each invoice, compared with the ledger's entries for it.
_BILLS = """
WITH told AS (
    SELECT t.tenant_id, t.source_id, t.currency,
           coalesce(-sum(e.amount_micros) FILTER (WHERE e.account = 'receivable'), 0) AS due,
           coalesce(sum(e.amount_micros) FILTER (WHERE e.account = 'tax'), 0) AS tax
    FROM tenants_ledgertransaction t JOIN tenants_ledgerentry e ON e.transaction_id = t.id
    WHERE t.kind = 'bill'
    GROUP BY 1, 2, 3
), billed AS (
    SELECT tenant_id, id AS source_id, currency, due_micros AS due, tax_micros AS tax
    FROM tenants_invoice WHERE kind = 'invoice'
)
SELECT tenant_id, side.compared, currency, source_id::text, side.expected::bigint, side.found::bigint
FROM billed b FULL JOIN told t USING (tenant_id, source_id, currency),
LATERAL (VALUES
    ('invoice_due', coalesce(b.due, 0), coalesce(t.due, 0)), ('invoice_tax', coalesce(b.tax, 0), coalesce(t.tax, 0))
) AS side (compared, expected, found)
WHERE side.expected <> side.found
"""
# Without partly billed months and late usage, all that was billed equals charges plus what the bills added. Both are
# read from the sums of days.
_NET = """
WITH closed AS (
    SELECT tenant_id, min(month) AS first, max(month) AS last FROM tenants_closedmonth GROUP BY 1
), settled AS (
    SELECT c.tenant_id, c.first, c.last FROM closed c
    WHERE NOT EXISTS (SELECT FROM tenants_invoice i WHERE i.tenant_id = c.tenant_id AND i.month > c.last)
      AND NOT EXISTS (
        SELECT FROM tenants_closedmonth m
        WHERE m.tenant_id = c.tenant_id AND m.records <> (
            SELECT coalesce(sum(d.records), 0) FROM tenants_usageday d
            WHERE d.tenant_id = m.tenant_id AND d.livemode
              AND d.day >= m.month AND d.day < m.month + interval '1 month'
        )
      )
), billed AS (
    SELECT i.tenant_id, i.currency, sum(i.net_micros) AS micros
    FROM tenants_invoice i WHERE i.kind = 'invoice' GROUP BY 1, 2
), parts AS (
    SELECT d.tenant_id, d.currency, d.amount_micros AS micros
    FROM settled s
    JOIN tenants_ledgerday d ON d.tenant_id = s.tenant_id AND d.account IN ('revenue', 'uncollected') AND (
        d.kind = 'bill'
        OR d.kind = 'charge' AND d.day >= s.first AND d.day < s.last + interval '1 month')
    UNION ALL
    SELECT t.tenant_id, t.currency, side.micros
    FROM settled s
    JOIN tenants_ledgertransaction t ON t.tenant_id = s.tenant_id AND t.kind = 'charge' AND t.earlier IS NOT NULL,
    jsonb_each_text(t.earlier) AS part (month, micros),
    LATERAL (VALUES ((part.month || '-01')::date, part.micros::bigint), (t.day, -part.micros::bigint))
        AS side (day, micros)
    WHERE t.day >= s.first AND side.day >= s.first AND side.day < s.last + interval '1 month'
), charged AS (
    SELECT tenant_id, currency, sum(micros) AS micros FROM parts GROUP BY 1, 2
)
SELECT tenant_id, 'invoiced', currency, 'all', coalesce(c.micros, 0)::bigint, coalesce(b.micros, 0)::bigint
FROM billed b FULL JOIN charged c USING (tenant_id, currency) JOIN settled USING (tenant_id)
WHERE coalesce(b.micros, 0) <> coalesce(c.micros, 0)
"""
_GAPS = """
SELECT i.tenant_id, 'invoice_number', i.currency, i.number, i.place, i.sequence
FROM (
    SELECT tenant_id, currency, number, sequence, row_number() OVER (PARTITION BY series ORDER BY sequence) AS place
    FROM tenants_invoice
) i
WHERE i.sequence <> i.place
"""


def compare_invoices() -> list[Compared]:
    found = []
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        for statement in (_BILLS, _NET, _GAPS):
            cursor.execute(statement)
            found += [Compared(*row) for row in cursor.fetchall()]
    return differences(found)
