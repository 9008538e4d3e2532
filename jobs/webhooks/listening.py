"""A receiver for a developer's own machine. It prints each message, and whether its signature is valid."""

import json
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from jobs.webhooks.signing import is_genuine

MAX_BYTES = 1_000_000
TIMEOUT_S = 10

Say = Callable[[str], object]


def receiver(port: int, *, secret: str | None, say: Say, status: int = 200) -> ThreadingHTTPServer:
    """Return a server on the loopback address only. Port 0 takes any free port."""

    class Listening(_Listening):
        pass

    Listening.secret, Listening.say, Listening.status = secret, staticmethod(say), status
    return ThreadingHTTPServer(("127.0.0.1", port), Listening)


class _Listening(BaseHTTPRequestHandler):
    secret: str | None
    say: Say
    status: int
    timeout = TIMEOUT_S

    def do_POST(self) -> None:
        length = self.headers.get("content-length", "")
        if not (length.isascii() and length.isdecimal()) or int(length) > MAX_BYTES:
            self.send_error(411 if not length else 413)
            return
        body = self.rfile.read(int(length))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.say(_told(headers, body, self.secret))
        self.send_response(self.status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Write no access log, because `say` has already printed the message."""


def _told(headers: dict[str, str], body: bytes, secret: str | None) -> str:
    lines = (
        f"{time.strftime('%H:%M:%S')}  {ascii(headers.get('webhook-id', 'without webhook-id'))[1:-1]}",
        f"  {_verdict(headers, body, secret)}",
        _indented(body),
    )
    return "\n".join(lines)


def _verdict(headers: dict[str, str], body: bytes, secret: str | None) -> str:
    if secret is None:
        return "signature not looked at: give --secret whsec_…"
    genuine = is_genuine(headers, body, secret=secret, now_s=time.time())
    return "signature is right" if genuine else "SIGNATURE IS WRONG, or the message is old"


def _indented(body: bytes) -> str:
    try:
        # The output is ASCII, so that a message from an unknown sender cannot write control characters to the terminal.
        text = json.dumps(json.loads(body), indent=2)
    except (ValueError, RecursionError):
        text = ascii(body[:500])
    return "\n".join(f"  {line}" for line in text.splitlines())
