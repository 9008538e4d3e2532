"""The whole product started the way a newcomer starts it, for end-to-end tests."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from maas.launch.state_files import read_env_file
from maas.supervisor.ports import free_port
from tests.services import PROJECT, without_product

_START_PATIENCE_S = 300.0
_STOP_PATIENCE_S = 15.0


@dataclass(frozen=True, slots=True)
class RunningStack:
    """Where a started product is found."""

    url: str
    home: Path
    demo: dict[str, str]
    """What demo.env says: MAAS_URL, MAAS_API_KEY and the logins."""


class LiveStack:
    """`manage.py up` in a folder and on a port of its own."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="maas-live-")
        self.home = Path(self._folder.name)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = self.home / "up.log"

    def __enter__(self) -> Self:
        env = without_product(os.environ) | {"MAAS_HOME": str(self.home), "MAAS_PORT": str(self.port)}
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up"], cwd=PROJECT, env=env, stdout=log, stderr=log
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(_STOP_PATIENCE_S)
        finally:
            self.process.kill()
            self.process.wait()
            self._folder.cleanup()

    def wait_until_ready(self) -> RunningStack:
        deadline = time.monotonic() + _START_PATIENCE_S
        while not self._is_ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"the product did not become ready:\n{self._log.read_text()[-8000:]}")
            time.sleep(0.1)
        return RunningStack(self.url, self.home, read_env_file(self.home / "demo.env"))

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=5) as answer:
                return bool(answer.status == 200)
        except (OSError, urllib.error.URLError):
            return False
