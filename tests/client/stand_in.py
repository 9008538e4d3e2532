"""Run a server that gives the answers of a test in their order, and remembers the requests."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, status: int, body: object, **headers: str) -> "Answer":
        return cls(status, json.dumps(body).encode(), {k.replace("_", "-"): v for k, v in headers.items()})


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class StandIn:
    """A server with prepared answers. The last answer is repeated."""

    def __init__(self, *answers: Answer) -> None:
        self.asked: list[Asked] = []
        self._answers = list(answers)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=[0.02], daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                stand_in.asked.append(Asked(self.command, self.path, dict(self.headers), body))
                answer = stand_in._answers[0]
                if len(stand_in._answers) > 1:
                    stand_in._answers.pop(0)
                self.send_response(answer.status)
                for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = _answer  # http.server's own names

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler
