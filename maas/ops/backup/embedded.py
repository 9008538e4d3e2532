"""Runs MAAS_HOME's embedded PostgreSQL without the product, for as long as a restore needs it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from maas.local.embedded.folders import ScratchFolders, private_folder
from maas.local.embedded.postgres import PostgresServer
from maas.local.supervisor.children import spawn
from maas.local.supervisor.lock import HomeLock
from maas.ops.backup.errors import BackupError

_START_S = 60.0
_STOP_S = 30.0


@contextmanager
def embedded_postgres(home: Path) -> Iterator[PostgresServer]:
    """Yield an empty server with its roles and database. It is stopped in order at the end."""
    run = private_folder(private_folder(home) / "run")
    lock, scratch = HomeLock(run / "lock"), ScratchFolders(run / "scratch.json")
    try:
        with _running(PostgresServer(home, scratch), run / "restore.log") as server:
            server.provision()
            yield server
    finally:
        scratch.remove_all()
        lock.release()


@contextmanager
def _running(server: PostgresServer, log: Path) -> Iterator[PostgresServer]:
    spec = server.prepare()
    with log.open("wb") as output:
        process = spawn(spec, output.fileno())
    try:
        deadline = time.monotonic() + _START_S
        while not server.is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                raise BackupError(f"the embedded PostgreSQL did not start: {log.read_text()[-1000:]}")
            time.sleep(0.05)
        yield server
    finally:
        process.send_signal(spec.stop_signal)
        process.wait(_STOP_S)
