"""Test large files if the service stores files in S3 (a stand-in on this machine): the client sends them there
directly.
"""

import asyncio
import os
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest

from jobs.uploads.layout import PART_BYTES
from maas_client import AsyncClient, Client, InvalidRequest
from maas_client.resources import Document
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.granian_server import GranianServer
from tests.samples.pdfs import text_pdf
from tests.stand_in_s3 import Bucket, new_bucket, stand_in_s3


@pytest.fixture(scope="module")
def bucket() -> Iterator[Bucket]:
    with stand_in_s3() as address:
        yield new_bucket(address)


@pytest.fixture(scope="module")
def web_server(bucket: Bucket) -> Iterator[GranianServer]:
    with GranianServer("maas.asgi:application", {"MAAS_STORAGE_URL": bucket.url}) as server:
        yield server


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maas_client.calls.LARGE_BYTES", 100_000)


@pytest.fixture
def client(web_server: GranianServer, tenant: CreatedTenant, small: None) -> Iterator[Client]:
    with Client(web_server.url, tenant.key.text) as client:
        yield client


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Return the path of a PDF that is sent in two parts."""
    path = tmp_path / "large.pdf"
    filling = os.urandom(16).hex() + "x" * (PART_BYTES + 1000)
    path.write_bytes(text_pdf("Page one", trailer=b"/Note (%s)" % filling.encode()))
    return path


def uploads_of(client: Client) -> list[dict[str, object]]:
    listed: list[dict[str, object]] = client._http.get(
        f"{client._configuration.url}/v1/uploads", params={"limit": 100}
    ).json()["data"]
    return listed


def test_a_large_file_goes_to_the_storage_itself_and_is_one_document(client: Client, large: Path) -> None:
    told: list[int] = []
    document = client.upload(large, progress=lambda sent, total: told.append(sent))
    assert (document.name, document.pages_total, document.duplicate) == ("large.pdf", 1, False)
    assert document.size_bytes == told[-1] == large.stat().st_size
    (upload,) = uploads_of(client)
    assert upload["parts"] == {"total": 2, "bytes": PART_BYTES}
    assert upload["document"] == document.id
    assert client.upload(large).duplicate


def test_from_a_coroutine_too(web_server: GranianServer, client: Client, large: Path) -> None:
    async def send() -> Document:
        key = client._configuration.key
        async with AsyncClient(web_server.url, key) as other:
            return await other.upload(large)

    assert asyncio.run(send()).pages_total == 1
    assert uploads_of(client)[0]["parts"]


def test_what_is_no_document_is_refused_with_its_reason(client: Client) -> None:
    with pytest.raises(InvalidRequest) as refused:
        client.upload(b"GIF89a" + b"x" * 200_000)
    assert refused.value.code == "unsupported_type"


def test_under_a_key_of_the_callers_own_it_is_the_request_that_it_always_was(
    client: Client, large: Path
) -> None:
    document = client.upload(large, idempotency_key="scan-1")
    (upload,) = uploads_of(client)
    assert (upload["document"], upload["parts"]) == (document.id, None)


class _Storage:
    """A server in front of the storage that records its requests, and answers the first ones with given statuses."""

    def __init__(self, behind: str, *statuses: int) -> None:
        self.headers: list[dict[str, str]] = []
        self._statuses = list(statuses)
        storage = self

        class Handler(BaseHTTPRequestHandler):
            def do_PUT(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                storage.headers.append({name.lower(): value for name, value in self.headers.items()})
                status = storage._statuses.pop(0) if storage._statuses else 200
                if status == 200:
                    status = httpx.put(behind + self.path, content=body, timeout=60).status_code
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _through(client: Client, monkeypatch: pytest.MonkeyPatch, bucket: Bucket, storage_url: str) -> None:
    """Send requests for the storage to this address, as if the service had named it."""
    plain = client._send

    def send(request):  # type: ignore[no-untyped-def]
        if request.elsewhere:
            assert request.path.startswith(bucket.endpoint)
            object.__setattr__(request, "path", request.path.replace(bucket.endpoint, storage_url, 1))
        return plain(request)

    monkeypatch.setattr(client, "_send", send)


def test_the_storage_never_sees_the_key_and_a_part_that_failed_is_sent_again(
    client: Client, large: Path, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = _Storage(bucket.endpoint, 503, 200, 403)
    _through(client, monkeypatch, bucket, storage.url)
    assert client.upload(large).pages_total == 1
    assert len(storage.headers) == 4
    assert len(uploads_of(client)) == 1
    for headers in storage.headers:
        assert not {"authorization", "cookie"} & headers.keys()
    storage.close()


@pytest.mark.parametrize("how", ["refused", "unreachable"])
def test_a_storage_that_takes_nothing_from_here_leaves_the_service_to_take_it(
    client: Client, large: Path, bucket: Bucket, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    storage = _Storage(bucket.endpoint, *[403] * 50)
    closed = socket.create_server(("127.0.0.1", 0))
    nobody = f"http://127.0.0.1:{closed.getsockname()[1]}"
    closed.close()
    _through(client, monkeypatch, bucket, nobody if how == "unreachable" else storage.url)
    assert client.upload(large).pages_total == 1
    by_tus, direct = uploads_of(client)
    assert (by_tus["parts"], by_tus["state"], direct["state"]) == (None, "ready", "terminated")
    assert client.upload(large).duplicate
    assert len(uploads_of(client)) == 3, "the storage is not asked once more"
    storage.close()
