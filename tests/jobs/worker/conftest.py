"""The engine of a worker, with the built-in models."""

from collections.abc import Callable, Mapping

import pytest

from inference.core.calls import Call
from inference.core.contracts import Json, VersionSpec, WorkInput, WorkOutput
from inference.engine.engine import Engine, local_engine
from inference.registry.services import seed_builtin


class Hooked(Engine):
    """An engine that calls `before` and `after` each run, and counts the runs."""

    def __init__(self, engine: Engine, before: Callable[[], object] = int, after: Callable[[], object] = int) -> None:
        super().__init__(engine.host)
        self.before, self.after, self.runs = before, after, 0

    def run(
        self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json], call: Call | None = None
    ) -> WorkOutput:
        self.before()
        output = super().run(spec, work, parameters, call)
        self.runs += 1
        self.after()
        return output


@pytest.fixture(scope="module", autouse=True)
def builtin_models() -> None:
    """Whatever ran before may have retired them."""
    seed_builtin()


@pytest.fixture(scope="module")
def engine() -> Engine:
    return local_engine()
