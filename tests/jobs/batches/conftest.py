"""Batches at each stage of their life, and the published `openai` package for a tenant of its own."""

from collections.abc import Iterator

import openai
import pytest

from inference.registry.models import ModelVersion
from tenants.identity.identity import Identity
from tests.flows.accounts import account, caller, product
from tests.flows.product import Account, Product

from .desk import BatchDesk, no_batches

__all__ = ["account", "caller", "product"]


@pytest.fixture
def alone() -> None:
    no_batches()


@pytest.fixture
def desk(alone: None, identity: Identity, version: ModelVersion) -> BatchDesk:
    return BatchDesk(identity, version)


@pytest.fixture
def client(product: Product, account: Account) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{product.running.url}/v1", api_key=account.key, max_retries=0) as client:
        yield client
