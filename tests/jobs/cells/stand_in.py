"""A control cell for tests: it signs what a test wants the other cell to read, and misbehaves on request."""

import base64
import hashlib
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec

from jobs.cells.documents import FORMAT, Content, Document, FilePart, ModelPart, PlanPart, VersionPart, written
from jobs.cells.published import PURPOSE
from tenants.cells.cells import Cell, Cells
from tenants.cells.reads import NotACell, reading_cell
from tenants.cells.signatures import new_secret, public_key_of, sign
from tests.fixtures import unique

_numbers = itertools.count()


@dataclass
class StandIn:
    """A cell named `control` that serves one document and files. `cells` is what the cell under test knows."""

    name: str
    url: str
    secret: bytes
    cells: Cells
    version: int = 0
    made_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    content: Content = field(default_factory=Content)
    files: dict[str, bytes] = field(default_factory=dict)
    report: dict[str, Any] = field(default_factory=dict)
    spoil: Callable[[bytes], bytes] = bytes
    """A function that changes the bytes of the document after they were signed."""
    before_signing: tuple[bytes, bytes] = (b"", b"")
    """Bytes of the document, and those that take their place before it is signed."""
    delay_s: float = 0.0
    cut_bytes: int = 0
    """The bytes that are missing at the end of each answer."""
    signing: bytes = b""
    """Another key to sign with."""
    asked: list[tuple[str, str]] = field(default_factory=list)
    """The paths that were asked for, each with its If-None-Match."""

    def give(self, **parts: Any) -> None:
        """Give a newer document with these parts."""
        self.version = max(self.version + 1, int(time.time() * 1000))
        self.made_at, self.content = datetime.now(UTC), Content(**parts)

    def answer(self, path: str, known: str) -> tuple[int, dict[str, str], bytes]:
        self.asked.append((path, known))
        time.sleep(self.delay_s)
        if path.endswith("/report"):
            return 200, {}, msgspec.json.encode({"cell": self.name, **self.report})
        if path.endswith("/export"):
            if known == f'"{self.version}"':
                return 304, {"ETag": known}, b""
            body = written(Document(FORMAT, self.name, self.version, self.made_at, self.content))
            body = body.replace(*self.before_signing, 1)
            signature = sign(self.signing or self.secret, PURPOSE, body)
            headers = {"Maas-Cell-Signature": base64.urlsafe_b64encode(signature).decode()}
            return 200, headers, self.spoil(body)
        found = self.files.get(path.rpartition("/")[2])
        return (404, {}, b"") if found is None else (200, {}, found)


@contextmanager
def stand_in(*, is_control: bool = True) -> Iterator[StandIn]:
    name, here = f"c{next(_numbers)}-{int(time.time() * 1000) % 10**8}", "here"
    secret, own = new_secret(), new_secret()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            theirs = Cells(name, name, peer.cells.by_name, secret)
            try:
                reading_cell(theirs, self.headers["Authorization"].removeprefix("Cell "), self.path, time.time())
                status, headers, body = peer.answer(self.path, self.headers.get("If-None-Match", ""))
            except NotACell as error:
                status, headers, body = 401, {}, str(error).encode()
            self.send_response(status)
            for key, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(body[: len(body) - peer.cut_bytes])

        def log_message(self, *args: Any) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    url = f"http://127.0.0.1:{server.server_port}"
    by_name = {
        name: Cell(name, url, (public_key_of(secret),)),
        here: Cell(here, "http://127.0.0.1:1", (public_key_of(own),)),
    }
    peer = StandIn(name, url, secret, Cells(here, name if is_control else here, by_name, own))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    try:
        yield peer
    finally:
        server.shutdown()
        server.server_close()


def plan_part(**changes: Any) -> PlanPart:
    values: dict[str, Any] = {
        "code": unique("plan"), "name": "Pro", "currency": "EUR", "monthly_fee_micros": 10_000_000, "trial_days": 0,
        "trial_credit_micros": 0, "is_prepaid": False, "is_default": False, "archived": False, "limits": {},
        "prices": [], "included": [],
    }  # fmt: skip
    return PlanPart(**values | changes)


def file_part(content: bytes, name: str = "model.onnx") -> FilePart:
    return FilePart(hashlib.sha256(content).hexdigest(), len(content), name)


def version_part(number: int = 1, **changes: Any) -> VersionPart:
    values: dict[str, Any] = {
        "number": number, "runtime": "onnx", "digest": hashlib.sha256(f"{number}".encode()).hexdigest(),
        "state": "ready", "files": {}, "config": {"labels": ["a", "b"], "scale": 1.0}, "signature": {}, "steps": {},
        "license": "MIT", "description": "", "labels": {}, "card": "", "evaluation": {}, "lineage": {}, "report": {},
        "created_at": datetime.now(UTC),
    }  # fmt: skip
    return VersionPart(**values | changes)


def model_part(**changes: Any) -> ModelPart:
    versions = changes.get("versions", [version_part()])
    values: dict[str, Any] = {
        "name": unique("model"), "title": "A model", "description": "", "state": "active", "accepts": ["tensors"],
        "parameters": [], "price_meter": "call", "price_micros": 1000, "price_per": 1, "currency": "EUR",
        "cached_price_micros": None, "review_price_micros": None, "cache_ttl_s": 60, "audience": "everyone",
        "isolated": False, "kind": "", "bounds": {}, "versions": versions, "aliases": {"current": versions[-1].number},
    }  # fmt: skip
    return ModelPart(**values | changes)
