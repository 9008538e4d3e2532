from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from inference.sandbox import ChildLimits, Program, SandboxPool
from inference.sandbox.isolation import find_bubblewrap

PROGRAM = Program(folder=Path(__file__).parent / "programs", module="misbehaving")
LIMITS = replace(ChildLimits(), memory_bytes=512 << 20, reply_bytes=1 << 20)


@pytest.fixture(scope="module", params=["bubblewrap", "confined"])
def pool(request: pytest.FixtureRequest) -> Iterator[SandboxPool]:
    """Return a pool of one child, so that each test uses the child that the previous test left behind."""
    use_bubblewrap = request.param == "bubblewrap"
    if use_bubblewrap and find_bubblewrap() is None:
        pytest.skip("bubblewrap is not installed or may not make namespaces")
    made = SandboxPool(PROGRAM, LIMITS, children=1, use_bubblewrap=use_bubblewrap)
    yield made
    made.close()
