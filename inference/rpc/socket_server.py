"""Take calls from the web processes of the same machine by a Unix socket, and write their answers."""

import os
import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import structlog

from inference.rpc.errors import MessageMalformed
from inference.rpc.frames import Buffer
from inference.rpc.socket_files import SUFFIX, listen, require_own_user
from inference.rpc.socket_frames import (
    FrameReader,
    Kind,
    SocketCall,
    answer_parts,
    frame,
    number_parts,
    read_calls,
    read_numbers,
    serves_parts,
)

log = structlog.get_logger(__name__)
SAYS_EVERY_S = 0.5
"""The time between two lists of served models. A worker that says nothing for longer is frozen or busy."""
READ_BYTES = 1 << 18
MAX_UNREAD_BYTES = 256 << 20
"""The most bytes of answers that wait for a web process to read them. Its connection is closed beyond that."""

Take = Callable[["Connection", Sequence[SocketCall]], None]


class Connection:
    """A web process. Any thread may send; only the server's thread reads."""

    def __init__(self, made: socket.socket, wake: Callable[[], None]) -> None:
        self.id = os.urandom(8).hex()
        self.socket = made
        self._wake = wake
        self._lock = threading.Lock()
        self._unsent = bytearray()
        self._read = FrameReader()
        self.closed = False

    def answer(self, answers: Sequence[tuple[int, Buffer]]) -> None:
        self.send(frame(Kind.ANSWERS, [part for number, payload in answers for part in answer_parts(number, payload)]))

    def give_back(self, numbers: Sequence[int]) -> None:
        self.send(frame(Kind.RETURNED, number_parts(numbers)))

    def send(self, data: bytes) -> None:
        """Send now what the socket takes, and leave the rest to the server's thread."""
        with self._lock:
            if self.closed:
                return
            sent = 0
            if not self._unsent:
                with suppress(BlockingIOError, ConnectionError):
                    sent = self.socket.send(data)
            if sent == len(data):
                return
            self._unsent += memoryview(data)[sent:]
        self._wake()

    def flush(self) -> bool:
        """Send what waits. Return whether something still waits. Raises OSError if the connection is to be closed."""
        with self._lock:
            if len(self._unsent) > MAX_UNREAD_BYTES:
                raise ConnectionAbortedError("the web process does not read its answers")
            with suppress(BlockingIOError):
                while self._unsent:
                    sent = self.socket.send(memoryview(self._unsent)[: 1 << 20])
                    del self._unsent[:sent]
            return bool(self._unsent)

    @property
    def has_unsent(self) -> bool:
        return bool(self._unsent)

    def frames(self) -> Iterator[tuple[Kind, memoryview]]:
        """Read what has arrived and return the whole frames. Raises OSError at the end of the connection."""
        data = self.socket.recv(READ_BYTES)
        if not data:
            raise ConnectionResetError("the web process is gone")
        return self._read.read(data)

    def close(self) -> None:
        with self._lock:
            self.closed = True
            self.socket.close()


class SocketServer:
    def __init__(
        self,
        folder: Path,
        name: str,
        *,
        models: Callable[[], Mapping[str, int]],
        take: Take,
        cancel: Callable[["Connection", int], None],
        leave: Callable[["Connection"], None],
    ) -> None:
        """Set up the server. The functions are called in its thread and must not wait. `models` returns the models
        that are served now, with the most calls of each that a web process may have here, and `leave` takes back all
        calls of a web process that is gone.
        """
        self._path = folder / f"{name}{SUFFIX}"
        self._models = models
        self._take = take
        self._cancel = cancel
        self._leave = leave
        self._said_s = 0.0
        self._connections: set[Connection] = set()
        self._selector = selectors.DefaultSelector()
        self._woken = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._stopping = False
        self._thread = threading.Thread(target=self._serve, name="rpc-sockets", daemon=True)

    def start(self) -> None:
        self._listening = listen(self._path)
        self._selector.register(self._listening, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._thread.start()

    def say_soon(self) -> None:
        """Tell every web process at once which models are served now."""
        self._said_s = 0.0
        self._wake()

    def stop(self) -> None:
        """Close every connection. Call this when all answers have been sent."""
        self._stopping = True
        self._wake()
        if self._thread.is_alive():
            self._thread.join(2)
        with suppress(OSError):
            self._path.unlink()

    def _wake(self) -> None:
        with suppress(OSError):
            os.eventfd_write(self._woken, 1)

    def _say(self) -> None:
        self._said_s = time.monotonic()
        said = frame(Kind.SERVES, serves_parts(self._models()))
        for connection in list(self._connections):
            connection.send(said)

    def _serve(self) -> None:
        while not self._stopping:
            try:
                self._turn()
            except Exception:
                log.exception("rpc_failed")
        for connection in list(self._connections):
            with suppress(OSError):
                connection.flush()
            connection.close()
        self._listening.close()

    def _turn(self) -> None:
        ready = self._selector.select(SAYS_EVERY_S)
        if time.monotonic() - self._said_s >= SAYS_EVERY_S:
            self._say()
        for key, events in ready:
            if key.fileobj is self._listening:
                self._accept()
            elif key.fileobj == self._woken:
                with suppress(BlockingIOError):
                    os.eventfd_read(self._woken)
            else:
                self._hear(key.data, events)
        for connection in [one for one in self._connections if one.has_unsent]:
            self._selector.modify(connection.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, connection)

    def _accept(self) -> None:
        with suppress(BlockingIOError, ConnectionError, PermissionError):
            made, _ = self._listening.accept()
            made.setblocking(False)
            try:
                require_own_user(made)
            except PermissionError:
                made.close()
                raise
            connection = Connection(made, self._wake)
            self._connections.add(connection)
            self._selector.register(made, selectors.EVENT_READ, connection)
            connection.send(frame(Kind.SERVES, serves_parts(self._models())))

    def _hear(self, connection: Connection, events: int) -> None:
        try:
            if events & selectors.EVENT_WRITE and not connection.flush():
                self._selector.modify(connection.socket, selectors.EVENT_READ, connection)
            if events & selectors.EVENT_READ:
                for kind, body in connection.frames():
                    self._obey(connection, kind, body)
        except BlockingIOError:
            return
        except (OSError, MessageMalformed) as error:
            log.info("rpc_socket_closed", error=str(error))
            self._selector.unregister(connection.socket)
            self._connections.discard(connection)
            connection.close()
            self._leave(connection)

    def _obey(self, connection: Connection, kind: Kind, body: memoryview) -> None:
        if kind is Kind.CALLS:
            self._take(connection, list(read_calls(body)))
        elif kind is Kind.CANCELS:
            for number in read_numbers(body):
                self._cancel(connection, number)
