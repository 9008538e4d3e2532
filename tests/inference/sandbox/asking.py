"""Send requests to the misbehaving program, and look at the processes that it leaves."""

from typing import Any

import psutil  # type: ignore[import-untyped]

from inference.core.calls import Call
from inference.sandbox import RequestLimits, SandboxPool

ANY_LIMITS = RequestLimits(wall_s=10, cpu_s=5)


def ask(
    pool: SandboxPool,
    do: str,
    files: tuple[int, ...] = (),
    limits: RequestLimits = ANY_LIMITS,
    call: Call | None = None,
    **more: Any,
) -> Any:
    return pool.ask({"do": do, **more}, files, accept=lambda value: value, limits=limits, wait_s=20, call=call)


def assert_works(pool: SandboxPool) -> None:
    assert ask(pool, "echo", say="still here")["said"] == "still here"


def with_children(pid: int) -> list[psutil.Process]:
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def tree(pool: SandboxPool) -> set[psutil.Process]:
    """Return every process of the pool, including zombies."""
    assert pool.wait_until_warm(20)
    return {process for pid in pool.pids() for process in with_children(pid)}


def assert_ended(processes: list[psutil.Process]) -> None:
    _, left = psutil.wait_procs(processes, timeout=5)
    assert [process for process in left if process.status() != psutil.STATUS_ZOMBIE] == []
