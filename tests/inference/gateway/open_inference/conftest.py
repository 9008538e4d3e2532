"""Provide the published `tritonclient`, configured for the product and a separate tenant, and models to call."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tritonclient.http import InferenceServerClient

from tests.fixtures import unique
from tests.flows.accounts import account, product
from tests.flows.product import Account, Product
from tests.inference.gateway.open_inference.asking import WithKey
from tests.inference.gateway.open_inference.graphs import save_mirror
from tests.inference.runtime.graphs import save_adder

__all__ = ["account", "product"]


@pytest.fixture
def address(product: Product) -> str:
    """Return the product's address without its scheme, as the client expects it."""
    return product.running.url.removeprefix("http://")


@pytest.fixture
def anyone(address: str) -> Iterator[InferenceServerClient]:
    """Return a client without a key."""
    with InferenceServerClient(address) as client:
        yield client


@pytest.fixture
def client(address: str, account: Account) -> Iterator[InferenceServerClient]:
    with InferenceServerClient(address) as client:
        client.register_plugin(WithKey(account.key))
        yield client


@pytest.fixture(scope="session")
def add_model(product: Product) -> Callable[..., str]:
    def add(path: Path, name: str | None = None, *options: str) -> str:
        name = name or unique(path.stem)
        added = product.manage("models", "add", str(path), "--name", name, *options)
        assert added.returncode == 0, added.stderr
        return name

    return add


@pytest.fixture(scope="session")
def adder(add_model: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """Add a model whose first version, which is current, adds one to four numbers a row. The second version takes two
    numbers.
    """
    folder = tmp_path_factory.mktemp("adder")
    name = add_model(save_adder(folder / "adder.onnx"))
    return add_model(save_adder(folder / "narrow.onnx", floats=2), name, "--keep-current")


@pytest.fixture(scope="session")
def mirror(add_model: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    return add_model(save_mirror(tmp_path_factory.mktemp("mirror") / "mirror.onnx"))
