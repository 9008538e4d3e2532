"""Estimate the clock of the Redis server, on which all RPC deadlines are based."""

from dataclasses import dataclass


@dataclass(slots=True)
class ServerClock:
    """Converts between milliseconds of the server's clock and seconds of this process's monotonic clock."""

    _ahead_ms: float = 0.0

    def set(self, server_ms: float, local_s: float) -> None:
        self._ahead_ms = server_ms - local_s * 1000

    def local_s(self, server_ms: float) -> float:
        return (server_ms - self._ahead_ms) / 1000
