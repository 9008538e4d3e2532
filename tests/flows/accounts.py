"""Fixtures on the shared product: two independent tenants, and their programs."""

from collections.abc import Iterator

import pytest

from tests.live_stack import RunningStack

from .caller import Caller
from .product import Account, Product


@pytest.fixture(scope="session")
def product(live_stack: RunningStack) -> Product:
    return Product(live_stack)


@pytest.fixture(scope="session")
def account(product: Product) -> Account:
    return product.create_account("Alpha")


@pytest.fixture(scope="session")
def other_account(product: Product) -> Account:
    return product.create_account("Beta")


@pytest.fixture(scope="session")
def caller(product: Product, account: Account) -> Iterator[Caller]:
    with product.caller(account) as caller:
        yield caller


@pytest.fixture(scope="session")
def other_caller(product: Product, other_account: Account) -> Iterator[Caller]:
    with product.caller(other_account) as caller:
        yield caller
