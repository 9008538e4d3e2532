"""Starts the whole product as a new user starts it, for end-to-end tests."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

from maas.local.launch.state_files import read_env_file
from maas.local.supervisor.ports import free_port
from tests.kept_cluster import PROJECT, give_if_kept
from tests.services import without_product

_START_TIMEOUT_S = 300.0
_STOP_TIMEOUT_S = 15.0


@dataclass(frozen=True, slots=True)
class RunningStack:
    """The address and home of a started product."""

    url: str
    home: Path
    demo: dict[str, str]
    """The variables in demo.env: MAAS_URL, MAAS_API_KEY and the logins."""


class LiveStack:
    """A run of `make up` on its own port. It is stopped in order unless a test has ended it already."""

    def __init__(
        self,
        home: Path,
        log: str = "up.log",
        variables: Mapping[str, str] = MappingProxyType({}),
        *,
        from_nothing: bool = False,
    ) -> None:
        """Prepare a run. `variables` go to the product's environment. A new home starts with the run's tables, or
        `from_nothing`.
        """
        self.home = home
        self._from_nothing = from_nothing
        self.variables = dict(variables)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = home.with_name(log)

    def give(self, variables: Mapping[str, str]) -> None:
        """Add variables before the start, such as those that name the ports of other products."""
        self.variables |= variables

    def __enter__(self) -> Self:
        if not (self._from_nothing or self.home.exists()):
            give_if_kept(self.home)
        place = {"MAAS_HOME": str(self.home), "MAAS_PORT": str(self.port)}
        env = without_product(os.environ) | {**self.variables, **place}
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "maas.local.launch"], cwd=PROJECT, env=env, stdout=log, stderr=log
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(_STOP_TIMEOUT_S)
        finally:
            self.process.kill()
            self.process.wait()

    @property
    def output(self) -> str:
        return self._log.read_text()

    def wait_until(self, condition: Callable[[], bool], what: str, timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"{what} did not happen within {timeout_s:g} s:\n{self.output[-8000:]}")
            time.sleep(0.05)

    def wait_until_ready(self) -> RunningStack:
        """Wait until `up` itself reports that web, worker and scheduler are ready, and the logins are printed."""
        self.wait_until(self._is_ready_or_ended, "readiness", _START_TIMEOUT_S)
        if self.process.poll() is not None:
            raise AssertionError(f"the product ended before it was ready:\n{self.output[-8000:]}")
        return RunningStack(self.url, self.home, read_env_file(self.home / "demo.env"))

    def _is_ready_or_ended(self) -> bool:
        return "Ctrl-C stops everything" in self.output or self.process.poll() is not None
