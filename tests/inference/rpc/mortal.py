"""Run a Redis that dies, freezes and comes back, and a connection to it that breaks."""

import signal
import socket
import subprocess
from contextlib import suppress

import redis

from maas.local.embedded.installation import find_valkey
from maas.local.supervisor.ports import free_port
from tests.inference.workers.brokers.servers import Wire
from tests.waiting import eventually

TIMEOUT_S = 30.0


class MortalRedis:
    """A Redis without persistence, on a port of its own."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        self._process = subprocess.Popen(
            [find_valkey(), "--port", str(self.port), "--bind", "127.0.0.1", "--save", ""],
            stdout=subprocess.DEVNULL,
        )
        eventually(self._answers, "Redis starts", TIMEOUT_S)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def freeze(self) -> None:
        """Freeze the server: it accepts connections and bytes, and does not answer."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def _answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url) as client:
                return bool(client.ping())
        except redis.ConnectionError:
            return False


class LaneWire(Wire):
    def __init__(self, target_url: str) -> None:
        super().__init__("127.0.0.1", int(target_url.rsplit(":", 1)[1].partition("/")[0]))
        self.target_url = target_url
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def hang_up(self) -> None:
        """Close all connections. New connections are accepted."""
        ends, self._ends = self._ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
