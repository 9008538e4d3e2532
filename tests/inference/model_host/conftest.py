"""Provide hosts with the real program and with one that behaves as a hostile model might."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from inference.model_host import HostLimits, ModelHosts
from inference.model_host.host_program import HOST_PROGRAM
from inference.runtime.isolated_session import IsolatedSession
from inference.sandbox import Program
from inference.sandbox.isolation import find_bubblewrap
from tests.inference.runtime.graphs import save_patient

LIMITS = replace(HostLimits(), memory_bytes=1 << 30, run_s=30.0, trial_s=5.0)
PROMPT = replace(LIMITS, run_s=5.0, max_rest_s=1.0)
"""The limits for models that never end."""
SHORT = replace(LIMITS, run_s=1.0)
"""The limits for programs that do no work."""
FAKE = Program(
    folder=Path(__file__).parent / "programs",
    module="fake_host",
    libraries=(*HOST_PROGRAM.libraries, HOST_PROGRAM.folder),
)

Open = Callable[[Path], IsolatedSession]
OpenFake = Callable[[str], IsolatedSession]


def limits_alone(request: pytest.FixtureRequest) -> bool:
    """Return whether bubblewrap is to be used. The parameter is `bubblewrap` or `confined`."""
    use_bubblewrap: bool = request.param == "bubblewrap"
    if use_bubblewrap and find_bubblewrap() is None:
        pytest.skip("bubblewrap is not installed or may not make namespaces")
    return use_bubblewrap


@pytest.fixture(scope="module", params=["bubblewrap", "confined"])
def hosts(request: pytest.FixtureRequest) -> Iterator[ModelHosts]:
    made = ModelHosts(LIMITS, use_bubblewrap=limits_alone(request))
    yield made
    made.close()


@pytest.fixture(scope="module", params=["bubblewrap", "confined"])
def fake_hosts(request: pytest.FixtureRequest) -> Iterator[ModelHosts]:
    made = ModelHosts(SHORT, use_bubblewrap=limits_alone(request), program=FAKE)
    yield made
    made.close()


@pytest.fixture(scope="module", params=["bubblewrap", "confined"])
def prompt_hosts(request: pytest.FixtureRequest) -> Iterator[ModelHosts]:
    made = ModelHosts(PROMPT, use_bubblewrap=limits_alone(request))
    yield made
    made.close()


@pytest.fixture
def open_model(hosts: ModelHosts) -> Iterator[Open]:
    opened: list[IsolatedSession] = []

    def open_one(path: Path) -> IsolatedSession:
        opened.append(IsolatedSession(path, hosts, name=path.stem))
        return opened[-1]

    yield open_one
    for session in opened:
        session.close()


@pytest.fixture
def open_endless(prompt_hosts: ModelHosts, tmp_path: Path) -> Iterator[IsolatedSession]:
    session = IsolatedSession(save_patient(tmp_path / "endless.onnx", turns=2**62), prompt_hosts)
    yield session
    session.close()


@pytest.fixture
def open_fake(fake_hosts: ModelHosts, tmp_path: Path) -> Iterator[OpenFake]:
    """Yield a function that opens a fake model, which does what the text says."""
    opened: list[IsolatedSession] = []

    def open_one(behavior: str) -> IsolatedSession:
        path = tmp_path / behavior.replace(" ", "-")
        path.write_text(behavior)
        opened.append(IsolatedSession(path, fake_hosts, name=behavior))
        return opened[-1]

    yield open_one
    for session in opened:
        session.close()
