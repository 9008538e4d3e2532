"""A supervisor under test, with small programs as its children."""

import asyncio
import io
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from maas.local.supervisor.children import ChildSpec, StopPhase
from maas.local.supervisor.console import Console
from maas.local.supervisor.policy import RestartPolicy
from maas.local.supervisor.processes import wait_until_gone
from maas.local.supervisor.supervisor import Supervisor

QUICK = RestartPolicy(first_delay_s=0.01, longest_delay_s=0.05)
TIMEOUT_S = 10.0


def program(name: str, code: str, phase: StopPhase = StopPhase.SERVING) -> ChildSpec:
    return ChildSpec(name, (sys.executable, "-c", code), {"PYTHONUNBUFFERED": "1"}, stop_phase=phase)


class Shown(Console):
    """A console whose lines can be waited for."""

    def __init__(self) -> None:
        self.stream = io.StringIO()
        super().__init__(self.stream)

    @property
    def lines(self) -> list[str]:
        return self.stream.getvalue().splitlines()

    async def shows(self, text: str, times: int = 1) -> str:
        """Return the line that holds `text`, once the text has come `times` times."""
        await until(lambda: sum(text in line for line in self.lines) >= times)
        return next(line for line in reversed(self.lines) if text in line)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(TIMEOUT_S):
        while not condition():  # noqa: ASYNC110 - what is waited for happens in other processes
            await asyncio.sleep(0.01)


@asynccontextmanager
async def supervised() -> AsyncIterator[tuple[Supervisor, Shown]]:
    console = Shown()
    async with Supervisor(console, QUICK) as supervisor:
        yield supervisor, console


def is_running(pid: int) -> bool:
    return not wait_until_gone(pid, 0)
