"""Provide two tenants as in the flow tests, with keys that have every scope, and something that belongs to each."""

from collections.abc import Iterator

import pytest

from tests.flows.accounts import caller, other_caller, product
from tests.flows.caller import Caller
from tests.flows.invoices import inserted
from tests.flows.product import Account, Product

from .belongings import Belongings

__all__ = ["caller", "other_caller", "product"]

_TEST_KEY = """
from uuid import UUID
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import KEY_SCOPES
from tenants.api_keys.services import create_key
tenant_id = UUID("{tenant}")
with unit_of_work(tenant_id):
    print(create_key(tenant_id=tenant_id, name="tests", livemode=False, scopes=list(KEY_SCOPES)).text)
"""


@pytest.fixture(scope="session")
def account(product: Product) -> Account:
    return product.create_account("Alpha")


@pytest.fixture(scope="session")
def other_account(product: Product) -> Account:
    return product.create_account("Beta")


def _billed(product: Product, account: Account) -> str:
    return inserted(product, account.tenant_id)[0]


@pytest.fixture(scope="session")
def tests_caller(product: Product, account: Account) -> Iterator[Caller]:
    """Return a caller of Alpha with a test key."""
    done = product.manage("shell", "-v0", "-c", _TEST_KEY.format(tenant=account.tenant_id))
    assert done.returncode == 0, done.stderr
    with Caller(product.running.url, done.stdout.strip()) as caller:
        yield caller


@pytest.fixture(scope="session")
def of_tests(tests_caller: Caller) -> Belongings:
    return Belongings.made_by(tests_caller, "This is of tests")


@pytest.fixture(scope="session")
def mine(product: Product, account: Account, caller: Caller) -> Belongings:
    return Belongings.made_by(caller, "This is Alpha's", _billed(product, account))


@pytest.fixture(scope="session")
def theirs(product: Product, other_account: Account, other_caller: Caller) -> Belongings:
    return Belongings.made_by(other_caller, "This is Beta's secret", _billed(product, other_account))
