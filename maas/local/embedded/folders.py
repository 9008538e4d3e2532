"""Makes private folders in MAAS_HOME or on a short path, and ends servers that a killed run left behind in them."""

import json
import os
import shutil
import signal
import stat
import tempfile
from collections.abc import Collection
from pathlib import Path

from maas.local.supervisor.processes import ProcessStat, process_stat, wait_until_gone
from maas.process.errors import ServiceUnavailable

LONGEST_SOCKET_PATH_BYTES = 107
_PREFIX = "maas-"


def private_folder(path: Path) -> Path:
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.chmod(0o700)
    return path


def fits_socket(folder: Path, socket_name: str) -> bool:
    return len(os.fsencode(folder / socket_name)) <= LONGEST_SOCKET_PATH_BYTES


class ScratchFolders:
    """Private folders outside MAAS_HOME, recorded in MAAS_HOME so that the next run removes those of a killed run."""

    def __init__(self, record: Path) -> None:
        self._record = record
        self.remove_all()

    def create(self, parent: Path | None = None) -> Path:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        self._write([*self._read(), str(folder)])
        return folder

    def create_for_sockets(self, longest_name: str) -> Path:
        folder = self.create()
        # A TMPDIR with a long path is as unusable as a MAAS_HOME with a long path.
        return folder if fits_socket(folder, longest_name) else self.create(Path("/tmp"))  # noqa: S108 - made by mkdtemp

    def remove_all(self) -> None:
        for name in self._read():
            _remove_if_ours(Path(name))
        self._record.unlink(missing_ok=True)

    def _read(self) -> list[str]:
        try:
            return [str(name) for name in json.loads(self._record.read_text())]
        except (FileNotFoundError, ValueError):
            return []

    def _write(self, names: list[str]) -> None:
        self._record.write_text(json.dumps(names))
        self._record.chmod(0o600)


def _remove_if_ours(folder: Path) -> None:
    """Remove the folder if this user owns it. Another user may have taken its name in /tmp since it was recorded."""
    try:
        status = folder.lstat()
    except FileNotFoundError:
        return
    private = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_IRWXO == 0
    if folder.name.startswith(_PREFIX) and private and status.st_uid == os.geteuid():
        shutil.rmtree(folder, ignore_errors=True)


_CLOCK_SLACK_S = 2.0


def recorded_server(pid_file: Path, commands: Collection[str]) -> ProcessStat | None:
    """Return the running process that wrote `pid_file`. Return None if it has ended or another process now has its ID.

    A process that reuses the ID started after the file was last written.
    """
    try:
        pid = int(pid_file.read_text().split("\n", 1)[0])
        written_at_s = pid_file.stat().st_mtime
    except (FileNotFoundError, ValueError):
        return None
    stat = process_stat(pid)
    if stat is None or stat.state == "Z" or stat.command not in commands:
        return None
    return stat if stat.started_at_s <= written_at_s + _CLOCK_SLACK_S else None


def clear_leftover(
    pid_file: Path, commands: Collection[str], stop_signal: signal.Signals, timeout_s: float = 10.0
) -> None:
    """Stop the recorded server if it still runs, and remove its record. The caller holds the home's lock."""
    server = recorded_server(pid_file, commands)
    if server is not None:
        os.kill(server.pid, stop_signal)
        if not wait_until_gone(server.pid, timeout_s):
            raise ServiceUnavailable(
                f"{server.command} (process {server.pid}) of an earlier run does not stop; end it: kill -9 {server.pid}"
            )
    pid_file.unlink(missing_ok=True)
