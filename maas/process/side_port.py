"""The port for health and metrics, and the stop event, of processes that serve nothing else: worker and scheduler."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import FrameType

from django.conf import settings
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest


def stop_event() -> threading.Event:
    stopping = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopping.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    return stopping


READ_TIMEOUT_S = 5


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, host: str, port: int, ready: Callable[[], bool]) -> None:
        super().__init__((host, port), _Handler)
        self.ready = ready


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = READ_TIMEOUT_S

    def do_GET(self) -> None:
        match self.path.partition("?")[0]:
            case "/livez":
                self._answer(200, b"alive\n")
            case "/readyz":
                ready = self.server.ready()
                self._answer(200 if ready else 503, b"ready\n" if ready else b"not ready\n")
            case "/metrics":
                self._answer(200, generate_latest(), CONTENT_TYPE_LATEST)
            case _:
                self._answer(404, b"There are /livez, /readyz and /metrics here.\n")

    def _answer(self, status: int, body: bytes, content_type: str = "text/plain") -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing, because probes arrive every few seconds."""


@contextmanager
def serve_side_port(port: int, *, ready: Callable[[], bool]) -> Iterator[None]:
    """Serve the port from a thread while the body runs. Do nothing for port 0."""
    if port == 0:
        yield
        return
    server = _Server(settings.MAAS_HOST, port, ready)
    thread = threading.Thread(target=server.serve_forever, name="side-port", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
