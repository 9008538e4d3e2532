"""Two tenants as the flows have them, whose keys may all that a key may, and something that belongs to each."""

import pytest

from tests.flows.accounts import caller, other_caller, product
from tests.flows.caller import Caller
from tests.flows.invoices import inserted
from tests.flows.product import Account, Product

from .belongings import Belongings

__all__ = ["caller", "other_caller", "product"]

_LET_PAY = """
UPDATE tenants_apikey SET scopes = scopes || '{billing:read,billing:write}'::varchar[]
WHERE tenant_id = %s RETURNING id
"""


def account_that_pays(product: Product, name: str) -> Account:
    """A key has these scopes only if they were chosen; it is used for the first time after this."""
    account = product.create_account(name)
    assert product.rows(_LET_PAY, account.tenant_id)
    return account


@pytest.fixture(scope="session")
def account(product: Product) -> Account:
    return account_that_pays(product, "Alpha")


@pytest.fixture(scope="session")
def other_account(product: Product) -> Account:
    return account_that_pays(product, "Beta")


def _billed(product: Product, account: Account) -> str:
    return inserted(product, account.tenant_id)[0]


@pytest.fixture(scope="session")
def mine(product: Product, account: Account, caller: Caller) -> Belongings:
    return Belongings.made_by(caller, "This is Alpha's", _billed(product, account))


@pytest.fixture(scope="session")
def theirs(product: Product, other_account: Account, other_caller: Caller) -> Belongings:
    return Belongings.made_by(other_caller, "This is Beta's secret", _billed(product, other_account))
