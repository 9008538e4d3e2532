"""A web process of its own for tests in which sockets, threads or concurrency matter."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil  # type: ignore[import-untyped]

from maas.local.supervisor.ports import free_port
from tests.waiting import eventually

PROJECT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60.0


class GranianServer:
    """A granian server that runs as `make up` starts it, on the services of this run, with its own MAAS_HOME."""

    def __init__(self, target: str, env: Mapping[str, str] | None = None, *, project: Path = PROJECT) -> None:
        self._target = target
        self._project = project
        self._folder = tempfile.TemporaryDirectory(prefix="maas-web-")
        self.home = Path(self._folder.name)
        self.port = free_port()
        self.variables = dict(env or {})
        own = {"MAAS_HOME": str(self.home), "MAAS_PORT": str(self.port), "MAAS_WEB_PROCESSES": "1"}
        # Few tests open documents here, and each child that could takes a tenth of the start.
        self._env = {**os.environ, "MAAS_READER_CHILDREN": "1", **own, **self.variables}
        self.url = f"http://127.0.0.1:{self.port}"

    def give(self, variables: Mapping[str, str]) -> None:
        """Add variables before the start, such as those that name the ports of other servers."""
        self.variables |= variables
        self._env |= variables

    def __enter__(self) -> Self:
        # The time to leave is shorter than the time for which a document that nobody opens holds its sender, and longer
        # than a busy machine needs to stop.
        command = [sys.executable, "-m", "maas.web_processes", "--leave-s", "12", self._target]
        with self.log_path.open("wb") as log:
            self.process = subprocess.Popen(command, cwd=self._project, env=self._env, stdout=log, stderr=log)
        deadline = time.monotonic() + TIMEOUT_S
        while not self._is_live():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"the web process did not start:\n{self.log_path.read_text()[-8000:]}")
            time.sleep(0.05)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        finally:
            self.process.kill()
            self.process.wait()
            self._folder.cleanup()

    def kill(self) -> None:
        """Kill the process and all that it has started, in an order in which none starts another."""
        first = psutil.Process(self.process.pid)
        for process in (first, *first.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                process.kill()

    @property
    def log_path(self) -> Path:
        return self.home / "web.log"

    def _is_live(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/livez", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


def _command(process: psutil.Process) -> list[str]:
    with suppress(psutil.NoSuchProcess):
        return list(process.cmdline())
    return []


def _parent(process: psutil.Process) -> int | None:
    with suppress(psutil.NoSuchProcess):
        return int(process.ppid())
    return None


@contextmanager
def frozen_children(server: GranianServer, number: int) -> Iterator[None]:
    """Suspend the processes that open documents, once there are `number`. They neither end nor make progress."""

    def all_children() -> list[psutil.Process]:
        tree = psutil.Process(server.process.pid).children(recursive=True)
        commands = {process: _command(process) for process in tree}
        theirs = {process: words for process, words in commands.items() if "inside.main" in " ".join(words)}
        # Each reader has a sandbox around it, which consists of processes too, and a fork of its own for what it looks
        # at.
        readers = {process.pid: process for process, words in theirs.items() if not words[0].endswith("bwrap")}
        standing = [process for process in readers.values() if _parent(process) not in readers]
        return list(theirs) if len(standing) >= number else []

    children = eventually(all_children, f"{number} processes that open documents")
    for child in children:
        child.suspend()
    try:
        yield
    finally:
        for child in children:
            with suppress(psutil.NoSuchProcess):
                child.resume()
