"""Provide the published `tritonclient` over gRPC, configured for the product and a separate tenant."""

from collections.abc import Iterator

import pytest
import tritonclient.grpc as triton
from tritonclient._plugin import InferenceServerClientPlugin
from tritonclient._request import Request

from tests.flows.product import Account, Product


class WithKey(InferenceServerClientPlugin):  # type: ignore[misc]
    """The same plug-in as over HTTP, with a lowercase header name, which gRPC requires."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, request: Request) -> None:
        request.headers["authorization"] = f"Bearer {self._key}"


@pytest.fixture
def grpc_address(product: Product) -> str:
    return f"127.0.0.1:{product.service('MAAS_GRPC_PORT')}"


@pytest.fixture
def nobody(grpc_address: str) -> Iterator[triton.InferenceServerClient]:
    """Return a client without a key."""
    with triton.InferenceServerClient(grpc_address) as client:
        yield client


@pytest.fixture
def over_grpc(grpc_address: str, account: Account) -> Iterator[triton.InferenceServerClient]:
    with triton.InferenceServerClient(grpc_address) as client:
        client.register_plugin(WithKey(account.key))
        yield client
