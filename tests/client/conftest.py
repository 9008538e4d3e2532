"""Provide a tenant of the running product, and a client for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from maas_client import Client
from tests.flows.accounts import account, caller, other_account, other_caller, product
from tests.flows.product import Account, Product
from tests.samples.pdfs import text_pdf

from .cable import Cable

__all__ = ["account", "caller", "other_account", "other_caller", "product"]


@pytest.fixture
def client(product: Product, account: Account) -> Iterator[Client]:
    with Client(product.running.url, account.key) as client:
        yield client


@pytest.fixture
def cable(product: Product) -> Iterator[Cable]:
    with Cable(product.running.url) as cable:
        yield cable


@pytest.fixture
def through_cable(cable: Cable, account: Account) -> Iterator[Client]:
    with Client(cable.url, account.key) as client:
        yield client


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of a PDF of two pages with a text layer, so that no test waits for text recognition."""
    path = tmp_path_factory.mktemp("client") / "report.pdf"
    path.write_bytes(text_pdf("The first page says apples", "The second page says pears"))
    return path


@pytest.fixture(scope="session")
def long_report() -> bytes:
    """Return a document that takes long enough to be still in progress. A test that submits it must cancel the job."""
    return text_pdf(*(f"This is page number {number} of very many pages" for number in range(1500)))
