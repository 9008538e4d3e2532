"""Provide the published `openai` package, configured for the product and a separate tenant."""

from collections.abc import Iterator

import openai
import pytest

from tests.flows.accounts import account, caller, product
from tests.flows.product import Account, Product

__all__ = ["account", "caller", "product"]


@pytest.fixture
def client(product: Product, account: Account) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{product.running.url}/v1", api_key=account.key, max_retries=0) as client:
        yield client
