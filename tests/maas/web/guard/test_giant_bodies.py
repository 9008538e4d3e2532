"""Tests of an unwanted body of 400 MB: it is cut off while it is sent, and is kept neither in files nor in memory."""

import select
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from tenants.api_keys.format import new_key
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.granian_server import GranianServer

GIANT_BYTES = 400_000_000
BUFFERS_BYTES = 16 << 20
"""A size that exceeds what the kernel holds between two ends of a connection. It is a twentieth of what is sent."""
MAX_GROWTH_BYTES = 20_000_000
LARGEST_CALL_BYTES = 32 << 20
BLOCK = b"x" * 65_536
CHUNK = b"%x\r\n%b\r\n" % (len(BLOCK), BLOCK)
TIMEOUT_S = 30.0
ANNOUNCED, CHUNKED = f"Content-Length: {GIANT_BYTES}", "Transfer-Encoding: chunked"
FORM, JSON = "Content-Type: multipart/form-data; boundary=b", "Content-Type: application/json"
FORM_HEAD = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'


@dataclass(frozen=True)
class Outcome:
    status: int
    head: str
    body: str
    sent_before_answer: int
    sent: int
    """The number of bytes that were sent until the connection was closed."""


class Web:
    """A web process whose temporary files are where a test sees them."""

    def __init__(self, server: GranianServer, temporary: Path) -> None:
        self.server = server
        self._temporary = temporary
        (self._process,) = [
            one for one in psutil.Process(server.process.pid).children() if "inside.main" not in one.cmdline()
        ]

    def files(self) -> list[Path]:
        """Return the temporary files, including those that are open but no longer have a name."""
        folders = (self.server.home, self._temporary)
        named = {path for folder in folders for path in folder.rglob("*") if path.is_file()}
        return sorted(named | {Path(one.path) for one in self._process.open_files()})

    def written_bytes(self) -> int:
        """Return the number of bytes written to files anywhere. It does not include what goes to sockets."""
        return int(self._process.io_counters().write_chars)

    def forget_most_memory(self) -> None:
        (Path("/proc") / str(self._process.pid) / "clear_refs").write_text("5")

    def max_memory_bytes(self) -> int:
        status = (Path("/proc") / str(self._process.pid) / "status").read_text()
        (line,) = [line for line in status.splitlines() if line.startswith("VmHWM:")]
        return int(line.split()[1]) * 1024


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    temporary = tmp_path_factory.mktemp("temporary")
    with GranianServer("maas.asgi:application", {"TMPDIR": str(temporary)}) as server:
        web = Web(server, temporary)
        for path in ("/v1/documents", "/sign-in"):
            send_giant(web, path, [ANNOUNCED, FORM])
        yield web


def send_giant(web: Web, path: str, headers: Sequence[str], *, start: bytes = b"") -> Outcome:
    """Send for as long as the server accepts data, and read the answer meanwhile."""
    version = "HTTP/1.1"
    head = "\r\n".join([f"POST {path} {version}", "Host: 127.0.0.1", *headers])
    block = CHUNK if CHUNKED in headers else BLOCK
    if start and CHUNKED in headers:
        start = b"%x\r\n%b\r\n" % (len(start), start)
    answer, before_answer, sent = b"", 0, 0
    with socket.create_connection(("127.0.0.1", web.server.port), timeout=TIMEOUT_S) as connection:
        connection.sendall(f"{head}\r\n\r\n".encode() + start)
        connection.setblocking(False)
        while sent < GIANT_BYTES:
            readable, writable, _ = select.select([connection], [connection], [], TIMEOUT_S)
            assert readable or writable, f"neither cut off nor read any further after {sent} bytes"
            try:
                if readable:
                    if not (piece := connection.recv(65_536)):
                        break
                    before_answer = before_answer if answer else sent
                    answer += piece
                elif writable:
                    sent += connection.send(block[sent % len(block) :])
            except OSError:
                break
        answer += _rest(connection)
    told, _, body = answer.decode("latin-1").partition("\r\n\r\n")
    assert told, f"no answer, though {sent} bytes were taken"
    return Outcome(int(told.split()[1]), told.lower(), body, before_answer, sent)


def _rest(connection: socket.socket) -> bytes:
    connection.settimeout(TIMEOUT_S)
    rest = b""
    try:
        while piece := connection.recv(65_536):
            rest += piece
    except ConnectionError:
        pass
    return rest


def bearer(key: str) -> str:
    return f"Authorization: Bearer {key}"


UNKNOWN = bearer(new_key(livemode=True).text)
MALFORMED = bearer("maas_live_wrong")


@pytest.mark.parametrize("body", [[ANNOUNCED], [CHUNKED]], ids=["announced", "chunked"])
@pytest.mark.parametrize("who", [[], [UNKNOWN], [MALFORMED]], ids=["no key", "unknown key", "malformed key"])
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/v1/documents", FORM),
        ("/v1/files", FORM),
        ("/v1/embeddings", JSON),
        ("/v2/models/embed/infer", JSON),
    ],
)
def test_without_a_good_key_it_is_refused_at_once_and_kept_nowhere(
    web: Web, path: str, kind: str, who: list[str], body: list[str]
) -> None:
    before, written = web.files(), web.written_bytes()
    web.forget_most_memory()
    memory = web.max_memory_bytes()
    outcome = send_giant(web, path, [*who, *body, kind], start=FORM_HEAD if kind == FORM else b'{"a":"')
    assert outcome.status == 401
    assert "connection: close" in outcome.head
    assert outcome.sent_before_answer <= outcome.sent < BUFFERS_BYTES
    assert web.files() == before
    assert web.written_bytes() - written < 1 << 20
    assert web.max_memory_bytes() - memory < MAX_GROWTH_BYTES


@pytest.mark.parametrize("path", ["/sign-in", "/admin/login/", "/", "/nothing"])
@pytest.mark.parametrize("body", [[ANNOUNCED], [CHUNKED]], ids=["announced", "chunked"])
def test_a_page_takes_of_a_stranger_no_more_than_it_takes_to_sign_in(web: Web, path: str, body: list[str]) -> None:
    before, written = web.files(), web.written_bytes()
    outcome = send_giant(web, path, [*body, FORM], start=FORM_HEAD)
    assert outcome.status == 413
    assert outcome.sent < BUFFERS_BYTES
    assert web.files() == before
    assert web.written_bytes() - written < 64 << 10


def test_what_follows_a_request_that_tells_no_length_is_not_read_either(web: Web) -> None:
    outcome = send_giant(web, "/v1/documents", [FORM])
    assert outcome.status == 401
    assert outcome.sent < BUFFERS_BYTES


def test_who_asks_before_sending_is_not_told_to_go_on(web: Web) -> None:
    head = ["POST /v1/documents HTTP/1.1", "Host: 127.0.0.1", ANNOUNCED, FORM, "Expect: 100-continue"]
    with socket.create_connection(("127.0.0.1", web.server.port), timeout=TIMEOUT_S) as connection:
        connection.sendall("\r\n".join([*head, "", ""]).encode())
        answer = _rest(connection).decode("latin-1")
    assert answer.startswith("HTTP/1.1 401")


@pytest.mark.parametrize("path", ["/v1/embeddings", "/v2/models/embed/infer", "/v2/models/embed/versions/1/infer"])
@pytest.mark.parametrize("body", [[ANNOUNCED], [CHUNKED]], ids=["announced", "chunked"])
def test_with_a_good_key_a_call_is_refused_in_its_protocols_words_once_it_is_too_large(
    web: Web, tenant: CreatedTenant, path: str, body: list[str]
) -> None:
    before, written = web.files(), web.written_bytes()
    outcome = send_giant(web, path, [bearer(tenant.key.text), *body, JSON], start=b'{"a":"')
    assert outcome.status == 413
    assert '"code": "request_too_large"' in outcome.body
    assert ('"type": "invalid_request_error"' in outcome.body) == (path == "/v1/embeddings")
    assert ('{"error": "' in outcome.body) == (path != "/v1/embeddings")
    read = LARGEST_CALL_BYTES if body == [CHUNKED] else 0
    assert read <= outcome.sent < read + BUFFERS_BYTES
    assert web.files() == before
    assert web.written_bytes() - written < 1 << 20
