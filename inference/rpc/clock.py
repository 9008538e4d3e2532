"""The Redis server's clock as seen from here: every deadline of the lane is on it."""

from dataclasses import dataclass


@dataclass(slots=True)
class ServerClock:
    """Times in milliseconds of the server, and in seconds of this process's monotonic clock."""

    _ahead_ms: float = 0.0

    def set(self, server_ms: float, local_s: float) -> None:
        self._ahead_ms = server_ms - local_s * 1000

    def local_s(self, server_ms: float) -> float:
        return (server_ms - self._ahead_ms) / 1000
