"""The same two tenants that the flows have, and something that belongs to each."""

import pytest

from tests.flows.accounts import caller, other_caller, product
from tests.flows.caller import Caller
from tests.flows.invoices import inserted
from tests.flows.product import Account, Product

from .belongings import Belongings

__all__ = ["caller", "other_caller", "product"]

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
    return inserted(product, account.tenant_id)[0]


@pytest.fixture(scope="session")
def mine(product: Product, account: Account, caller: Caller) -> Belongings:
    return Belongings.made_by(caller, "This is Alpha's", _billed(product, account))


@pytest.fixture(scope="session")
def theirs(product: Product, other_account: Account, other_caller: Caller) -> Belongings:
    return Belongings.made_by(other_caller, "This is Beta's secret", _billed(product, other_account))
