"""The sessions that run models for the factory, in this process or isolated in another."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from inference.core.calls import Call, RunControl
from inference.core.errors import CallCanceled
from inference.model_host import ModelHosts
from inference.runtime.hosted_session import HostedSession
from inference.runtime.isolated_session import IsolatedSession
from inference.runtime.machine import this_machine
from inference.runtime.memory_in_use import host_memory
from inference.runtime.providers import CPU, ExecutionPlan, Provider
from inference.runtime.tensors import Array, NodeArg


class Session(Protocol):
    """A model file that was opened, such as HostedSession."""

    @property
    def inputs(self) -> tuple[NodeArg, ...]: ...

    @property
    def outputs(self) -> tuple[NodeArg, ...]: ...

    @property
    def load_s(self) -> float: ...

    def run(
        self, feeds: Mapping[str, Array], outputs: Sequence[str] | None = None, *, control: RunControl | None = None
    ) -> list[Any]: ...

    def close(self) -> None: ...


OpenSession = Callable[[Path], Session]
UsedBytes = Callable[[Session | None], int]
"""A function that returns the memory in use, before the session is opened (None) or while it is open."""


def open_here(path: Path) -> Session:
    """Open a file in this process on the CPU. Use it only for files that the operator trusts."""
    return open_with(this_machine().threads, path)


def open_with(threads: int, path: Path) -> Session:
    """Open a file like `open_here`, for runs with this many threads."""
    return HostedSession(path, ExecutionPlan((Provider(CPU),), threads))


def used_here(_session: Session | None) -> int:
    """Return the memory of this process, for sessions in it."""
    return host_memory().used_bytes()


def opener_in(hosts: ModelHosts) -> OpenSession:
    """Return a function that opens each file in a confined process of its own."""
    return lambda path: IsolatedSession(path, hosts)


def used_in_host(session: Session | None) -> int:
    """Return the memory of the session's own process, for sessions from `opener_in`."""
    if not isinstance(session, IsolatedSession):
        return 0
    return session.memory.loaded_bytes + session.memory.growth.held_bytes


@contextmanager
def opened(path: Path, open_session: OpenSession) -> Iterator[Session]:
    session = open_session(path)
    try:
        yield session
    finally:
        session.close()


def run_for(call: Call, session: Session, feeds: Mapping[str, Array]) -> dict[str, Array]:
    """Run the model. A canceled call ends the run, and raises CallCanceled."""
    call.check()
    control = RunControl()
    withdraw = call.on_cancel(control.end)
    try:
        answers = session.run(feeds, control=control)
    except CallCanceled:
        call.check()
        raise
    finally:
        withdraw()
    return {node.name: answer for node, answer in zip(session.outputs, answers, strict=True)}
