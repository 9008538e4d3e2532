"""Two Valkey servers on private sockets, which use the Redis protocol. One is durable; the other may lose its data."""

import enum
import re
import signal
from pathlib import Path
from urllib.parse import quote

import redis

from maas.local.embedded.folders import ScratchFolders, clear_leftover, fits_socket, private_folder
from maas.local.embedded.installation import VALKEY_PROGRAMS, find_valkey
from maas.local.supervisor.children import ChildSpec, StopPhase

_SHARED = {"port": "0", "unixsocketperm": "700", "save": "", "loglevel": "warning", "databases": "64"}


_CHATTER = re.compile(
    "oO0OoO0|(Redis|Valkey) version=|Configuration loaded|Server initialized|overcommit"
    "|scheduling shutdown|User requested shutdown|bye bye"
)


class RedisRole(enum.Enum):
    """The purpose of a server. Its value is also the name of the server's folder and socket."""

    DURABLE = "redis"
    CACHE = "cache"


_SETTINGS = {
    RedisRole.DURABLE: {
        "appendonly": "yes",
        "appendfsync": "everysec",
        "aof-load-truncated": "yes",
        "maxmemory-policy": "noeviction",
    },
    RedisRole.CACHE: {"appendonly": "no", "maxmemory": "256mb", "maxmemory-policy": "allkeys-lru"},
}


class RedisServer:
    """A server in `home`. The caller holds the lock on `home` and runs the child process."""

    def __init__(self, home: Path, role: RedisRole, scratch: ScratchFolders) -> None:
        self._role = role
        self._data = private_folder(home / role.value)
        self._pid_file = self._data / "redis.pid"
        sockets = home / "run" / "redis"
        name = f"{role.value}.sock"
        self._socket = (sockets if fits_socket(sockets, name) else scratch.create_for_sockets(name)) / name

    @property
    def url(self) -> str:
        return self.url_of(0)

    def url_of(self, number: int) -> str:
        return f"unix://{quote(str(self._socket))}?db={number}"

    def prepare(self) -> ChildSpec:
        """Prepare everything, and return the process to run. It may be called again."""
        program = find_valkey()
        clear_leftover(self._pid_file, VALKEY_PROGRAMS, signal.SIGTERM)
        private_folder(self._socket.parent)
        settings = _SHARED | _SETTINGS[self._role]
        settings |= {"dir": str(self._data), "pidfile": str(self._pid_file), "unixsocket": str(self._socket)}
        flags = [argument for name, value in settings.items() for argument in (f"--{name}", value)]
        return ChildSpec(
            name=self._role.value,
            argv=(program, *flags),
            env={},
            stop_phase=StopPhase.QUEUE,
            chatter=_CHATTER,
        )

    def is_ready(self) -> bool:
        with redis.Redis.from_url(self.url, socket_timeout=2.0) as client:
            try:
                return bool(client.ping())
            except redis.RedisError:
                # The server is not listening yet, or it still loads its stored data.
                return False
