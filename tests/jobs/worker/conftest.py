"""The engine of a worker, with the built-in models."""

import pytest

from inference.registry.services import seed_builtin
from inference.runtime.engine import Engine, local_engine


@pytest.fixture(scope="module")
def engine() -> Engine:
    seed_builtin()
    return local_engine()
