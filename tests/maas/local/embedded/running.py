"""Runs one embedded server for a test, the way the supervisor does."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from maas.local.embedded.folders import ScratchFolders, private_folder
from maas.local.embedded.postgres import PostgresServer
from maas.local.launch.services import EmbeddedServer
from maas.local.supervisor.children import spawn

TIMEOUT_S = 30.0


def scratch_of(home: Path) -> ScratchFolders:
    """Return the scratch folders of `home` after removing those of earlier servers."""
    private_folder(private_folder(home) / "run")
    return ScratchFolders(home / "run" / "scratch.json")


@contextmanager
def running(server: EmbeddedServer, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start the server, wait until it answers, and stop it in order unless the test has."""
    spec = server.prepare()
    with log.open("ab") as output:
        process = spawn(spec, output.fileno())
    try:
        deadline = time.monotonic() + TIMEOUT_S
        while not server.is_ready():
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.02)
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(spec.stop_signal)
        process.wait(TIMEOUT_S)


def postgres_in(home: Path) -> PostgresServer:
    return PostgresServer(home, scratch_of(home), durable=False)
