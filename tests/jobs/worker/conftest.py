"""The engine of a worker, with the built-in models."""

import pytest

from inference.engine.engine import Engine, local_engine
from inference.registry.services import seed_builtin


@pytest.fixture(scope="module")
def engine() -> Engine:
    seed_builtin()
    return local_engine()
