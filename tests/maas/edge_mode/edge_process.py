"""`manage.py edge` as an operator starts it: a process of its own, with no service that it could reach."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from maas.local.supervisor.ports import free_port
from tests.kept_cluster import PROJECT
from tests.services import without_product
from tests.waiting import eventually

NOWHERE = {
    "MAAS_DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing",
    "MAAS_REDIS_URL": "redis://127.0.0.1:1/0",
    "MAAS_CACHE_URL": "redis://127.0.0.1:1/0",
}
STOPS_WITHIN_S = 15.0


class EdgeProcess:
    """An edge process that is ready inside the block and is stopped in order after it."""

    def __init__(self, home: Path, *arguments: str, key: str = "", **variables: str) -> None:
        self.home = home
        self.port = free_port()
        self._arguments = arguments
        self._key = key
        self._variables = {**NOWHERE, **variables, "MAAS_HOME": str(home), "MAAS_EDGE_KEY": key}
        self._output = home.parent / f"{home.name}.{self.port}.txt"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self, key: str | None = None) -> httpx.Client:
        given = self._key if key is None else key
        headers = {"Authorization": f"Bearer {given}"} if given else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=90, trust_env=False)

    def said(self) -> str:
        return self._output.read_text()

    def start(self) -> None:
        with self._output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "edge", "--port", str(self.port), *self._arguments],
                cwd=PROJECT,
                env={**without_product(os.environ), **self._variables},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def wait_until_ready(self) -> None:
        eventually(lambda: self.process.poll() is not None or self._answers(), "readiness", 180)
        assert self.process.poll() is None, self.said()

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(STOPS_WITHIN_S)

    def __enter__(self) -> Self:
        self.start()
        try:
            self.wait_until_ready()
        except BaseException:
            self.process.kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.end()

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/readyz", trust_env=False).status_code == 200
        except httpx.TransportError:
            return False
