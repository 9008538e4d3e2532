"""Tests of incoming files, on a real server whose views report what they received."""

import hashlib
import time
from pathlib import Path

import httpx
import pytest

from jobs.intake.spool import BATCH_BYTES
from jobs.intake.uploads import is_document, is_upload
from tenants.api_keys.services import create_key
from tenants.core.db.unit_of_work import operator_work
from tenants.core.own_folder import LOCK
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.granian_server import GranianServer
from tests.maas.mount_urls import IDLE_S
from tests.maas.raw_http import RawRequest
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("telling_server")

PART = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n'


@pytest.fixture
def key(tenant: CreatedTenant) -> dict[str, str]:
    return {"Authorization": f"Bearer {tenant.key.text}"}


def _head(key: dict[str, str]) -> str:
    return (
        "POST /v1/documents HTTP/1.1\nTransfer-Encoding: chunked\nContent-Type: multipart/form-data; boundary=b\n"
        f"Authorization: {key['Authorization']}"
    )


def _spooled(server: GranianServer) -> list[Path]:
    return [path for path in (server.home / "spool").rglob("*") if path.is_file() and path.name != LOCK]


def _wait_until_nothing_is_spooled(server: GranianServer) -> None:
    eventually(lambda: not _spooled(server), "the end of all spool files", 10)


def test_a_file_whose_cost_is_asked_for_is_received_and_looked_at_like_a_document() -> None:
    headers = [(b"content-type", b"multipart/form-data; boundary=b")]
    scope = {"type": "http", "method": "POST", "path": "/v1/estimate", "headers": headers}
    assert is_upload(scope)
    assert is_document(scope)


@pytest.mark.parametrize("size", [0, 10, BATCH_BYTES, 5_000_000])
def test_django_gets_the_file_on_disk_and_no_body(
    telling_server: GranianServer, key: dict[str, str], size: int
) -> None:
    content = b"%PDF" * (size // 4) + b"x" * (size % 4)
    answer = httpx.post(
        f"{telling_server.url}/v1/documents",
        files={"file": ("scän.pdf", content, "application/pdf")},
        data={"model": "parse"},
        headers=key,
    )
    seen = answer.json()
    upload = seen["environ"]["maas.upload"]
    assert f"sha256='{hashlib.sha256(content).hexdigest()}'" in upload
    assert f"size_bytes={size}, filename='scän.pdf', content_type='application/pdf'" in upload
    assert "fields={'model': 'parse'}" in upload
    assert seen["body_bytes"] == 0
    _wait_until_nothing_is_spooled(telling_server)


def test_stalled_uploads_slow_nobody_and_are_given_up(telling_server: GranianServer, key: dict[str, str]) -> None:
    """Where they kept others waiting, these would be answered only once the stalled ones are given up: every time."""
    assert any(_served_beside_stalled_uploads(telling_server, key) for _ in range(3))


def _served_beside_stalled_uploads(telling_server: GranianServer, key: dict[str, str]) -> bool:
    """Whether everybody was, before any of the stalled uploads was given up."""
    stalled = [RawRequest(telling_server.port, _head(key)) for _ in range(12)]
    try:
        for request in stalled:
            request.send_chunk(PART + b"x" * (BATCH_BYTES + 1))
        started = time.monotonic()
        for _ in range(20):
            assert httpx.get(f"{telling_server.url}/echo").status_code == 200
        files = {"file": ("a.pdf", b"quick", "application/pdf")}
        answer = httpx.post(f"{telling_server.url}/v1/documents", files=files, headers=key)
        assert answer.status_code == 200
        in_time = time.monotonic() - started < IDLE_S
        answers = [request.answer() for request in stalled]
    finally:
        for request in stalled:
            request.__exit__(None, None, None)
    assert {answer.status for answer in answers} == {408}
    _wait_until_nothing_is_spooled(telling_server)
    return in_time


def test_an_upload_whose_sender_hangs_up_leaves_nothing(telling_server: GranianServer, key: dict[str, str]) -> None:
    with RawRequest(telling_server.port, _head(key)) as request:
        request.send_chunk(PART + b"x" * (BATCH_BYTES + 1))
        eventually(lambda: _spooled(telling_server), "a file in the spool", 5)
    _wait_until_nothing_is_spooled(telling_server)


def test_a_bad_form_is_refused_with_a_problem(telling_server: GranianServer, key: dict[str, str]) -> None:
    files = {"upload": ("a.pdf", b"x")}
    answer = httpx.post(f"{telling_server.url}/v1/documents", files=files, headers=key)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert "'upload'" in answer.json()["detail"]


def test_a_file_that_is_too_large_is_refused_while_it_comes(telling_server: GranianServer, key: dict[str, str]) -> None:
    with RawRequest(telling_server.port, _head(key)) as request:
        request.send_chunk(PART)
        assert request.send_until_refused(b"x" * 2**20, 500 * 2**20) < 230 * 2**20
    _wait_until_nothing_is_spooled(telling_server)


def test_a_key_that_may_only_read_is_refused_before_its_file_is_read(
    telling_server: GranianServer, tenant: CreatedTenant
) -> None:
    with operator_work():
        reading = create_key(tenant_id=tenant.tenant.id, name="reads", scopes=["documents:read"])
    with RawRequest(telling_server.port, _head({"Authorization": f"Bearer {reading.text}"})) as request:
        answer = request.answer()
    assert answer.status == 403
    assert b"insufficient_scope" in answer.body


def test_a_body_that_is_no_form_goes_to_the_view(telling_server: GranianServer, key: dict[str, str]) -> None:
    seen = httpx.post(f"{telling_server.url}/v1/documents", json={"a": 1}, headers=key).json()
    assert "maas.upload" not in seen["environ"]
    assert seen["body_bytes"] > 0
