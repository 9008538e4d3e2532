"""Test published clients that the product was not made with, unmodified. They get only an address and a key."""

import pytest

from tests.clients.environments import stranger
from tests.flows.product import Account, Product

pytestmark = pytest.mark.long
STRANGERS = {
    "kserve_client": ("kserve==0.21.0",),
    "litellm_client": ("litellm==1.106.2",),
    "langchain_client": ("langchain-openai==1.7.3", "llama-index-embeddings-openai==0.7.0"),
}


@pytest.mark.parametrize("name", STRANGERS)
def test_a_published_client_works_unmodified(name: str, product: Product, account: Account) -> None:
    played = stranger(name, *STRANGERS[name]).play(product, account)
    assert played.returncode == 0, played.stdout[-2000:] + played.stderr[-4000:]
