"""Ends a server that a killed run left behind, before another server is started on the same data."""

import os
import signal
from collections.abc import Collection
from pathlib import Path

from maas.local.supervisor.processes import ProcessStat, process_stat, wait_until_gone
from maas.process.errors import ServiceUnavailable

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
                f"{server.command} (process {server.pid}) of an earlier run does not stop; "
                f"end it: kill -9 {server.pid}"
            )
    pid_file.unlink(missing_ok=True)
