"""The engine of a worker, with the built-in models."""

import pytest

from inference.engine.engine import Engine, local_engine
from inference.registry.services import seed_builtin


@pytest.fixture(scope="module", autouse=True)
def builtin_models() -> None:
    """Whatever ran before may have retired them."""
    seed_builtin()


@pytest.fixture(scope="module")
def engine() -> Engine:
    return local_engine()
