"""Fixtures for the flows."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.live_stack import LiveStack
from tests.samples.pdfs import scanned_pdf

from .accounts import account, caller, other_account, other_caller, product
from .product import Product

__all__ = ["account", "caller", "other_account", "other_caller", "product"]
LEASE_S = 3


@contextmanager
def own_product(home: Path, **variables: str) -> Iterator[tuple[LiveStack, Product]]:
    """Start a product that a test may break."""
    with LiveStack(home, variables=variables) as stack:
        yield stack, Product(stack.wait_until_ready(), variables)


@pytest.fixture(scope="session")
def victim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveStack, Product]]:
    """Yield one product for all tests that kill and freeze its parts. They belong to the group "crashes"."""
    # Pages are drawn small: these tests prove nothing about what is read, and every accident has pages read again.
    variables = {"MAAS_LEASE_S": str(LEASE_S), "MAAS_RENDER_DPI": "120"}
    with own_product(tmp_path_factory.mktemp("crashes") / "var", **variables) as running:
        yield running


FOUR = list(range(1, 5))
SIX = list(range(1, 7))
MANY = list(range(1, 31))
"""Pages that take seconds on a fast machine as well."""


@pytest.fixture(scope="session")
def four_pages() -> bytes:
    """Return four scanned pages, each of which takes half a second to recognize."""
    return scanned_pdf(*(f"Page number {number} of four" for number in FOUR), dpi=400)


@pytest.fixture(scope="session")
def many_pages() -> bytes:
    """Scans that are not done before a test has looked at the first."""
    return scanned_pdf(*(f"Page number {number} of many" for number in MANY), dpi=400)


@pytest.fixture(scope="session")
def six_pages() -> bytes:
    """Return six scanned pages, each of which takes half a second to recognize."""
    return scanned_pdf(*(f"Page number {number} of six" for number in SIX), dpi=400)


@pytest.fixture(scope="session")
def three_pages() -> bytes:
    return scanned_pdf("First sheet: apples", "Second sheet: pears", "Third sheet: plums", dpi=400)
