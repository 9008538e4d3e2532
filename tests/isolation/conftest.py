"""The same two tenants that the flows have, and something that belongs to each."""

import pytest

from tests.flows.accounts import caller, other_caller, product
from tests.flows.caller import Caller
from tests.flows.product import Account, Product

from .belongings import Belongings

__all__ = ["caller", "other_caller", "product"]

_INVOICE = """
INSERT INTO tenants_invoice (
    id, tenant_id, kind, series, sequence, number, reason, currency, month, period_start, period_end, issued_on, due_on,
    seller, buyer, lines_count, net_micros, tax_name, tax_rate_bp, tax_note, tax_micros, total_micros, due_micros,
    paid_micros, credited_micros, written_off_micros, status, made_by
) VALUES (
    gen_random_uuid(), %s, 'invoice', %s, 1, %s, '', 'EUR', '2026-10-01', '2026-10-01', '2026-11-01', '2026-11-01',
    '2026-11-15', '{}', '{}', 0, 0, 'VAT', 0, '', 0, 0, 0, 0, 0, 0, 'paid', ''
) RETURNING id
"""
_MORE = """
UPDATE tenants_apikey SET scopes = scopes || ARRAY['billing:read']::varchar[] WHERE tenant_id = %s RETURNING id
"""


@pytest.fixture(scope="session")
def account(product: Product) -> Account:
    return _who_sees_invoices(product, product.create_account("Alpha"))


@pytest.fixture(scope="session")
def other_account(product: Product) -> Account:
    return _who_sees_invoices(product, product.create_account("Beta"))


def _who_sees_invoices(product: Product, account: Account) -> Account:
    """A key has this scope only if it was chosen; it is used for the first time after this."""
    product.rows(_MORE, account.tenant_id)
    return account


def _billed(product: Product, account: Account) -> str:
    name = account.tenant_id[-12:]
    ((invoice_id,),) = product.rows(_INVOICE, account.tenant_id, f"T-{name}", f"T-{name}-1")
    return str(invoice_id)


@pytest.fixture(scope="session")
def mine(product: Product, account: Account, caller: Caller) -> Belongings:
    return Belongings.made_by(caller, "This is Alpha's", _billed(product, account))


@pytest.fixture(scope="session")
def theirs(product: Product, other_account: Account, other_caller: Caller) -> Belongings:
    return Belongings.made_by(other_caller, "This is Beta's secret", _billed(product, other_account))
