"""Run real servers for the broker tests: a private Redis, the RabbitMQ that is there, and a connection that
can be cut.
"""

import os
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pika
import redis

from maas.local.embedded.installation import find_valkey
from maas.local.supervisor.ports import free_port

AMQP_URL = os.environ.get("MAAS_TEST_AMQP_URL", "amqp://guest:guest@127.0.0.1:5672/%2F")


@contextmanager
def redis_server(*options: str) -> Iterator[str]:
    """Yield the URL of a private Redis, which is removed afterwards."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        own = ("--port", str(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "")
        process = subprocess.Popen([find_valkey(), *own, *options], stdout=subprocess.DEVNULL)
        try:
            _await_port(port)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.terminate()
            process.wait()


@contextmanager
def hanging_server() -> Iterator[str]:
    """Yield the address of a server that accepts connections and does not answer, like a stopped process."""
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listener:
        yield f"127.0.0.1:{listener.getsockname()[1]}"


def rabbitmq_answers() -> bool:
    try:
        pika.BlockingConnection(pika.URLParameters(AMQP_URL)).close()
    except (pika.exceptions.AMQPError, OSError):
        return False
    return True


def delete_rabbitmq_queues(*queue_names: str) -> None:
    connection = pika.BlockingConnection(pika.URLParameters(AMQP_URL))
    channel = connection.channel()
    for queue_name in queue_names:
        channel.queue_delete(queue_name)
        channel.queue_delete(f"{queue_name}.XQ")
    connection.close()


def empty(url: str) -> None:
    redis.Redis.from_url(url).flushall()


class Wire:
    """A TCP relay to a server. It can stall (bytes stop) or be cut (connections break and are refused)."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._flowing = threading.Event()
        self._flowing.set()
        self._ends: list[socket.socket] = []
        self.port = free_port()
        self._listener: socket.socket | None = None
        self.mend()

    def mend(self) -> None:
        self._flowing.set()
        if self._listener is None:
            self._listener = socket.create_server(("127.0.0.1", self.port), backlog=64)
            threading.Thread(target=self._accept, args=[self._listener], daemon=True).start()

    def stall(self) -> None:
        self._flowing.clear()

    def cut(self) -> None:
        if self._listener is not None:
            with suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._ends.clear()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                near, _address = listener.accept()
                far = socket.create_connection(self._target)
                self._ends += [near, far]
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._relay, args=[source, sink], daemon=True).start()

    def _relay(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._flowing.wait()
                sink.sendall(data)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)


def _await_port(port: int) -> None:
    while True:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
