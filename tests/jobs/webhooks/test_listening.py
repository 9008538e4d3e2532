import threading
import time
from collections.abc import Callable, Iterator
from urllib.request import Request, urlopen

import pytest

from jobs.webhooks.listening import receiver
from jobs.webhooks.signing import secret_of, signed_headers

SECRET, OTHER = secret_of(b"one", "pepper"), secret_of(b"two", "pepper")
BODY = b'{"type": "job.succeeded\x1b[2J"}'.replace(b"\x1b", b"\\u001b")

Send = Callable[[str | None, bytes], list[str]]


@pytest.fixture
def send() -> Iterator[Send]:
    said: list[str] = []
    servers = []

    def post(secret: str | None, body: bytes) -> list[str]:
        server = receiver(0, secret=secret, say=said.append)
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        headers = signed_headers([SECRET], webhook_id="msg_1", timestamp=int(time.time()), body=body)
        with urlopen(Request(f"http://127.0.0.1:{server.server_port}/", body, headers), timeout=10) as answer:
            assert answer.status == 200
        return said

    yield post
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("secret", "words"),
    [(SECRET, "signature is right"), (OTHER, "SIGNATURE IS WRONG"), (None, "not looked at")],
)
def test_it_says_whether_the_signature_is_right(send: Send, secret: str | None, words: str) -> None:
    (told,) = send(secret, BODY)
    assert "msg_1" in told
    assert words in told


@pytest.mark.parametrize("body", [BODY, b"\x1b[2J no JSON", b"[" * 100_000])
def test_what_comes_cannot_write_to_the_terminal_what_it_likes(send: Send, body: bytes) -> None:
    (told,) = send(SECRET, body)
    assert "\x1b" not in told
