"""A RabbitMQ for a single run, which may be killed because no other run has queues on it."""

import os
import shutil
from pathlib import Path

import pika

from maas.local.supervisor.children import ChildSpec, StopPhase
from maas.local.supervisor.ports import free_port

_PLACES = ("/usr/lib/rabbitmq/bin", "/usr/local/lib/rabbitmq/sbin", "/opt/rabbitmq/sbin")
_TIMEOUT_S = 2.0


def find_rabbitmq() -> str | None:
    """Return the program itself. The program on PATH is often a script that switches to another user."""
    return shutil.which("rabbitmq-server", path=os.pathsep.join(_PLACES)) or shutil.which("rabbitmq-server")


class OwnRabbitmq:
    def __init__(self, home: Path) -> None:
        self._folder = home / "rabbitmq"
        self._folder.mkdir(parents=True)
        self._port = free_port()
        self.url = f"amqp://guest:guest@127.0.0.1:{self._port}/%2F"

    def spec(self) -> ChildSpec:
        program = find_rabbitmq()
        assert program is not None, "no rabbitmq-server"
        variables = {
            "RABBITMQ_NODENAME": f"chaos-{os.getpid()}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self._port),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "RABBITMQ_MNESIA_BASE": str(self._folder / "data"),
            "RABBITMQ_LOG_BASE": str(self._folder),
            "RABBITMQ_PID_FILE": str(self._folder / "pid"),
            "RABBITMQ_CONFIG_FILE": str(self._folder / "none"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self._folder / "plugins"),
        }
        env = {"PATH": os.environ["PATH"], "HOME": str(self._folder), **variables}
        return ChildSpec("rabbitmq", (program,), env, stop_phase=StopPhase.QUEUE)

    def is_ready(self) -> bool:
        try:
            self._connect().close()
        except (pika.exceptions.AMQPError, OSError):
            return False
        return True

    def delete(self, queue: str) -> None:
        with self._connect() as connection:
            channel = connection.channel()
            for name in (queue, f"{queue}.XQ"):
                channel.queue_delete(name)

    def _connect(self) -> pika.BlockingConnection:
        asked = pika.URLParameters(self.url)
        asked.socket_timeout = asked.stack_timeout = asked.blocked_connection_timeout = _TIMEOUT_S
        return pika.BlockingConnection(asked)
