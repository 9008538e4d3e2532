"""Tests of requests that name a document by its URL, sent to the product's own web process."""

import secrets
import ssl
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.db.models.functions import Now
from django.utils import timezone

from inference.registry.models import ModelVersion
from jobs.core.models import Document
from jobs.idempotency.holds import LEASE_S
from jobs.idempotency.models import HeldKey, IdempotencyKey
from tenants.api_keys.services import create_key
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.own_folder import LOCK
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.granian_server import GranianServer
from tests.samples.pdfs import text_pdf
from tests.tenants.core.http_client.conftest import certificate
from tests.tenants.core.http_client.receiver import Receiver
from tests.waiting import eventually

SECRET = "X-Signature=s3cr3t-of-a-storage"


@pytest.fixture(scope="module")
def local_certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate(tmp_path_factory.mktemp("certificate"), "localhost")


@pytest.fixture(scope="module")
def environment(local_certificate: Path) -> dict[str, str]:
    return {
        "MAAS_EGRESS_LOOPBACK": "1",
        "SSL_CERT_FILE": str(local_certificate),
        "MAAS_MAX_UPLOAD_BYTES": "200000",
        "MAAS_WEB_THREADS": "2",
        "MAAS_FETCH_S": "5",
        "MAAS_LOG_LEVEL": "INFO",
    }


@pytest.fixture(scope="module")
def server(environment: dict[str, str]) -> Iterator[GranianServer]:
    with GranianServer("maas.asgi:application", environment) as started:
        yield started


@pytest.fixture(scope="module")
def other_server(environment: dict[str, str]) -> Iterator[GranianServer]:
    with GranianServer("maas.asgi:application", environment) as started:
        yield started


@pytest.fixture
def there(local_certificate: Path) -> Iterator[Callable[..., Receiver]]:
    started: list[Receiver] = []

    def start(*pieces: bytes, **options: Any) -> Receiver:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(local_certificate)
        started.append(Receiver(pieces, tls, **options))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.fixture
def client(server: GranianServer, tenant: CreatedTenant) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {tenant.key.text}"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=60) as made:
        yield made


@pytest.fixture
def at_the_other(other_server: GranianServer, tenant: CreatedTenant) -> Iterator[httpx.Client]:
    """Yield a client of the same caller at another web process."""
    headers = {"Authorization": f"Bearer {tenant.key.text}"}
    with httpx.Client(base_url=other_server.url, headers=headers, timeout=60) as made:
        yield made


def ok(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def at(receiver: Receiver) -> str:
    return f"https://localhost:{receiver.port}/papers/letter.pdf?{SECRET}"


def a_pdf() -> bytes:
    return text_pdf(secrets.token_hex(8))


def test_a_document_is_fetched_looked_at_and_kept_under_the_name_of_its_address(
    client: httpx.Client, there: Callable[..., Receiver]
) -> None:
    receiver = there(ok(a_pdf()))
    made = client.post("/v1/documents", json={"url": at(receiver)})
    assert (made.status_code, made.json()["duplicate"]) == (201, False)
    assert (made.json()["name"], made.json()["content_type"]) == ("letter.pdf", "application/pdf")
    again = client.post("/v1/documents", json={"url": at(receiver), "name": "mine.pdf"})
    assert (again.status_code, again.json()["duplicate"]) == (200, True)
    assert again.json()["id"] == made.json()["id"]


def test_a_job_on_an_address_is_made_once_under_its_key_and_its_document_fetched_once(
    client: httpx.Client, there: Callable[..., Receiver], version: ModelVersion
) -> None:
    receiver = there(ok(a_pdf()))
    body = {"model": version.served_model.name, "document_url": at(receiver)}
    key = {"Idempotency-Key": secrets.token_hex(8)}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: client.post("/v1/jobs", json=body, headers=key), range(8)))
    assert {answer.status_code for answer in answers} <= {202, 409}
    first = eventually(lambda: client.post("/v1/jobs", json=body, headers=key), "an answer")
    assert (first.status_code, first.headers["idempotent-replay"]) == (202, "true")
    assert {answer.json()["id"] for answer in answers if answer.status_code == 202} == {first.json()["id"]}
    assert len(receiver.requests) == 1
    other = client.post("/v1/jobs", json={**body, "document_url": at(receiver) + "2"}, headers=key)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert len(receiver.requests) == 1


def test_nothing_else_takes_the_key_of_a_request_that_is_fetching_at_any_web_process(
    client: httpx.Client,
    at_the_other: httpx.Client,
    there: Callable[..., Receiver],
    version: ModelVersion,
) -> None:
    model = version.served_model.name
    answer = ok(a_pdf())
    receiver = there(answer[:20], answer[20:], every_s=1.5)
    key = {"Idempotency-Key": secrets.token_hex(8)}
    fetched = {"model": model, "document_url": at(receiver)}
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(client.post, "/v1/jobs", json=fetched, headers=key)
        eventually(lambda: receiver.requests, "the fetch")
        for elsewhere in (client, at_the_other):
            for body in (fetched, {"model": model, "input": {"text": "x"}}):
                other = elsewhere.post("/v1/jobs", json=body, headers=key)
                assert (other.status_code, other.json()["code"]) == (409, "request_in_progress")
                assert other.headers["retry-after"] == "2"
        assert first.result().status_code == 202
    again = at_the_other.post("/v1/jobs", json=fetched, headers=key)
    assert (again.headers["idempotent-replay"], again.json()["id"]) == ("true", first.result().json()["id"])
    assert len(receiver.requests) == 1


def test_what_could_not_be_fetched_leaves_its_key_free_at_once(
    client: httpx.Client, at_the_other: httpx.Client, there: Callable[..., Receiver]
) -> None:
    key = {"Idempotency-Key": secrets.token_hex(8)}
    gone = {"url": at(there(b"HTTP/1.1 404 No\r\n\r\n"))}
    page = {"url": at(there(ok(b"%!PS-Adobe-3.0 a program for printers")))}
    codes = [client.post("/v1/documents", json=body, headers=key).json()["code"] for body in (gone, page)]
    assert codes == ["url_not_fetched", "unsupported_type"]
    made = at_the_other.post("/v1/documents", json={"url": at(there(ok(a_pdf())))}, headers=key)
    assert made.status_code == 201


def test_a_fetch_that_takes_longer_than_its_lease_keeps_its_key(
    client: httpx.Client, at_the_other: httpx.Client, there: Callable[..., Receiver], tenant: CreatedTenant
) -> None:
    answer = ok(a_pdf())
    receiver = there(answer[:20], answer[20:], every_s=4.2)
    key = {"Idempotency-Key": secrets.token_hex(8)}
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(client.post, "/v1/documents", json={"url": at(receiver)}, headers=key)
        eventually(lambda: receiver.requests, "the fetch")
        taken = _end_of_hold(tenant)
        eventually(lambda: _end_of_hold(tenant) > taken, "a renewal", 10)
        assert first.result().status_code == 201
    with unit_of_work(tenant.tenant.id):
        assert not HeldKey.objects.exists()


def test_a_key_whose_web_process_was_killed_while_it_fetched_is_free_again(
    at_the_other: httpx.Client,
    there: Callable[..., Receiver],
    tenant: CreatedTenant,
    environment: dict[str, str],
) -> None:
    key = {"Idempotency-Key": secrets.token_hex(8)}
    drips = there(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", endlessly=b"x", every_s=0.02)
    body = {"url": at(drips)}
    headers = {"Authorization": f"Bearer {tenant.key.text}"}
    with GranianServer("maas.asgi:application", environment) as killed, ThreadPoolExecutor(1) as pool:
        lost = pool.submit(httpx.post, f"{killed.url}/v1/documents", json=body, headers={**headers, **key})
        eventually(lambda: drips.requests, "the fetch")
        killed.kill()
        with pytest.raises(httpx.TransportError):
            lost.result()
    body = {"url": at(there(ok(a_pdf())))}
    refused = at_the_other.post("/v1/documents", json=body, headers=key)
    assert (refused.status_code, refused.json()["code"]) == (409, "request_in_progress")
    assert _end_of_hold(tenant) <= timezone.now() + timedelta(seconds=LEASE_S)
    with unit_of_work(tenant.tenant.id):
        HeldKey.objects.update(ends_at=Now())  # The rest of its lease goes by, and nobody renews it.
    taken_over = at_the_other.post("/v1/documents", json=body, headers=key)
    assert taken_over.status_code == 201


def test_nothing_is_fetched_for_what_is_refused_anyway(
    client: httpx.Client, there: Callable[..., Receiver], tenant: CreatedTenant, version: ModelVersion
) -> None:
    receiver = there(ok(a_pdf()))
    url, model = at(receiver), version.served_model.name
    with operator_work():
        reads = create_key(tenant_id=tenant.tenant.id, name="reads", scopes=["documents:read", "jobs:write"])
    reading = {"Authorization": f"Bearer {reads.text}"}
    refused = [
        client.post("/v1/jobs", json={"model": "no-such-model", "document_url": url}),
        client.post("/v1/jobs", json={"model": model, "document_url": url, "input": "x"}),
        client.post("/v1/jobs", json={"model": model, "document_url": url, "parameters": {"no": 1}}),
        client.post("/v1/jobs", json={"model": model, "document_url": url}, headers=reading),
        client.post("/v1/documents", json={"url": url}, headers=reading),
        client.post("/v1/documents", json={"url": url, "folder": "x"}),
        client.post("/v1/documents", json={"url": url}, headers={"Idempotency-Key": "x" * 256}),
        client.post("/v1/documents", json=["url"]),
        client.post("/v1/documents", json={"url": f"https://me:{SECRET}@localhost:{receiver.port}/"}),
        client.post("/v1/documents", json={"url": "https://10.0.0.1/"}),
        client.post("/v1/documents", content=b'{"url": ', headers={"Content-Type": "application/json"}),
    ]
    codes = [answer.json()["code"] for answer in refused]
    assert codes == [
        "model_not_found",
        "invalid_request",
        "invalid_parameter",
        "insufficient_scope",
        "insufficient_scope",
        *["invalid_request"] * 3,
        *["url_not_allowed"] * 2,
        "invalid_request",
    ]
    assert not any(SECRET in answer.text for answer in refused)
    assert receiver.requests == []


def test_what_a_server_gives_is_looked_at_like_any_upload(
    client: httpx.Client, there: Callable[..., Receiver], server: GranianServer
) -> None:
    page = client.post("/v1/documents", json={"url": at(there(ok(b"%!PS-Adobe-3.0 a program for printers")))})
    assert (page.status_code, page.json()["code"]) == (415, "unsupported_type")
    large = client.post("/v1/documents", json={"url": at(there(ok(b"%PDF-" + b"x" * 300_000)))})
    assert (large.status_code, large.json()["limit_bytes"]) == (413, 200_000)
    empty = client.post("/v1/documents", json={"url": at(there(ok(b"")))})
    assert empty.status_code == 422
    gone = client.post("/v1/documents", json={"url": at(there(b"HTTP/1.1 403 No\r\n\r\n"))})
    assert (gone.status_code, gone.json()["code"], gone.json()["remote_status"]) == (
        422,
        "url_not_fetched",
        403,
    )
    _nothing_is_spooled(server)


def test_a_caller_that_hangs_up_lets_go_of_the_other_server(
    client: httpx.Client, there: Callable[..., Receiver], server: GranianServer, version: ModelVersion
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
    drips = there(head, endlessly=b"x", every_s=0.02)
    wanted = [
        ("/v1/documents", {"url": at(drips)}),
        ("/v1/jobs", {"model": version.served_model.name, "document_url": at(drips)}),
    ]
    for path, body in wanted:
        before = _gone(server)
        with pytest.raises(httpx.ReadTimeout):
            client.post(path, json=body, timeout=1, headers={"Prefer": "wait=30"})
        eventually(partial(_more_gone, server, before), "an end of the request", 4)
        _nothing_is_spooled(server)


def test_servers_that_are_slow_hold_no_thread_of_django(client: httpx.Client, there: Callable[..., Receiver]) -> None:
    silent = there(b"HTTP/1.1 200 OK\r\n", every_s=60)
    with ThreadPoolExecutor(6) as pool:
        slow = [pool.submit(client.post, "/v1/documents", json={"url": at(silent)}) for _ in range(6)]
        eventually(lambda: len(silent.requests) >= 4, "four requests")
        for _ in range(10):
            assert client.get("/v1/documents", timeout=3).status_code == 200
        codes = {one.result().json()["code"] for one in slow}
    assert codes <= {"url_too_slow", "overloaded", "url_paused"}
    assert "url_too_slow" in codes


def test_the_address_is_neither_logged_nor_stored(
    client: httpx.Client, there: Callable[..., Receiver], server: GranianServer, tenant: CreatedTenant
) -> None:
    key = {"Idempotency-Key": secrets.token_hex(8)}
    made = client.post("/v1/documents", json={"url": at(there(ok(a_pdf())))}, headers=key).json()
    client.post("/v1/documents", json={"url": at(there(b"HTTP/1.1 404 No\r\n\r\n"))})
    with unit_of_work(tenant.tenant.id):
        rows = [*Document.objects.filter(id=made["id"]).values(), *IdempotencyKey.objects.values()]
    assert SECRET not in str(rows) + server.log_path.read_text()


def _end_of_hold(tenant: CreatedTenant) -> datetime:
    with unit_of_work(tenant.tenant.id):
        return HeldKey.objects.get().ends_at


def _nothing_is_spooled(server: GranianServer) -> None:
    def spooled() -> list[Path]:
        return [path for path in (server.home / "spool").rglob("*") if path.is_file() and path.name != LOCK]

    eventually(lambda: not spooled(), "an empty spool", 10)


def _gone(server: GranianServer) -> int:
    return server.log_path.read_text().count("client_disconnected")


def _more_gone(server: GranianServer, before: int) -> bool:
    return _gone(server) > before
