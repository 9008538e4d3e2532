"""Tests of the guard on a real server: who is admitted, and what is read of those who are refused."""

import json
import time

import httpx
import pytest

from tenants.accounts.models import Tenant
from tenants.api_keys.format import new_key
from tenants.api_keys.models import ApiKey
from tenants.api_keys.services import create_key, revoke_key
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.own_folder import LOCK
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.granian_server import GranianServer
from tests.maas.raw_http import RawRequest

BLOCK = b"x" * 65_536


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _code(answer: httpx.Response) -> str:
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == answer.status_code
    assert body["request_id"] == answer.headers["x-request-id"]
    return str(body["code"])


def test_a_key_lets_its_tenant_in(telling_server: GranianServer, tenant: CreatedTenant) -> None:
    seen = httpx.get(f"{telling_server.url}/v1/echo", headers=_bearer(tenant.key.text)).json()
    assert str(tenant.tenant.id) in seen["environ"]["maas.identity"]


def test_every_answer_carries_the_requests_id(telling_server: GranianServer) -> None:
    for path in ("/livez", "/echo", "/v1/echo?api_key=x", "/nothing"):
        answer = httpx.get(f"{telling_server.url}{path}", headers={"X-Request-Id": "mine-1"})
        assert answer.headers.get_list("x-request-id") == ["mine-1"]


UNKNOWN = new_key(livemode=True).text


@pytest.mark.parametrize(
    "key",
    ["", "nonsense", "maas_live_0", UNKNOWN, "ü"],
    ids=["empty", "words", "short", "unknown", "not ascii"],
)
def test_a_wrong_key_is_refused_and_the_connection_closed(telling_server: GranianServer, key: str) -> None:
    headers = {b"Authorization": f"Bearer {key}".strip().encode()}
    answer = httpx.get(f"{telling_server.url}/v1/echo", headers=headers)
    assert (answer.status_code, _code(answer)) == (401, "invalid_api_key")
    assert answer.headers["connection"] == "close"
    assert answer.headers["www-authenticate"] == 'Bearer realm="maas"'


def test_the_scheme_of_the_header_is_read_without_regard_to_case(
    telling_server: GranianServer, tenant: CreatedTenant
) -> None:
    answer = httpx.get(f"{telling_server.url}/v1/echo", headers={"Authorization": f"bearer  {tenant.key.text}"})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "credentials",
    ["", "Authorization: Bearer maas_live_wrong", "Cookie: sessionid=wrong", "Authorization: Basic YTpi"],
)
@pytest.mark.parametrize("content_type", ["application/json", "multipart/form-data; boundary=b"])
def test_a_huge_body_without_good_credentials_is_refused_unread(
    telling_server: GranianServer, credentials: str, content_type: str
) -> None:
    head = f"POST /v1/documents HTTP/1.1\nTransfer-Encoding: chunked\nContent-Type: {content_type}\n{credentials}"
    with RawRequest(telling_server.port, head) as request:
        answer = request.answer()
        assert answer.status == 401
        assert "connection: close" in answer.head
        # The kernels' buffers accept some bytes that nobody reads.
        assert request.send_until_refused(BLOCK, 100 * 2**20) < 16 * 2**20
    spooled = (telling_server.home / "spool").rglob("*")
    assert [path for path in spooled if path.is_file() and path.name != LOCK] == []


def test_a_request_to_write_without_credentials_is_refused(telling_server: GranianServer) -> None:
    answer = httpx.post(f"{telling_server.url}/v1/echo", json={})
    assert (answer.status_code, _code(answer)) == (401, "not_authenticated")


def test_a_request_to_read_without_credentials_is_left_to_the_views(telling_server: GranianServer) -> None:
    assert "maas.identity" not in httpx.get(f"{telling_server.url}/v1/echo").json()["environ"]


def test_a_key_in_the_address_is_refused_and_not_logged(telling_server: GranianServer, tenant: CreatedTenant) -> None:
    for path in ("/v1/echo", "/echo"):
        answer = httpx.get(f"{telling_server.url}{path}", params={"key": tenant.key.text})
        assert (answer.status_code, _code(answer)) == (400, "key_in_query")
    assert tenant.key.text not in telling_server.log_path.read_text()


def test_a_revoked_key_dies_within_a_second(telling_server: GranianServer, tenant: CreatedTenant) -> None:
    with operator_work():
        created = create_key(tenant_id=tenant.tenant.id, name="short-lived")
    with httpx.Client(base_url=telling_server.url, headers=_bearer(created.text)) as client:
        assert client.get("/v1/echo").status_code == 200
        with unit_of_work(tenant.tenant.id):
            assert revoke_key(key_id=created.key.id)
        deadline = time.monotonic() + 1.0
        while (answer := client.get("/v1/echo")).status_code == 200:
            assert time.monotonic() < deadline, "the key still works"
    assert _code(answer) == "api_key_revoked"


def test_the_key_of_a_suspended_tenant_is_refused(telling_server: GranianServer, tenant: CreatedTenant) -> None:
    with operator_work():
        Tenant.objects.filter(id=tenant.tenant.id).update(state=Tenant.State.SUSPENDED)
    answer = httpx.get(f"{telling_server.url}/v1/echo", headers=_bearer(tenant.key.text))
    assert (answer.status_code, _code(answer)) == (403, "tenant_suspended")


def test_an_expired_key_is_refused(telling_server: GranianServer, tenant: CreatedTenant) -> None:
    with operator_work():
        created = create_key(tenant_id=tenant.tenant.id, name="expired")
        ApiKey.objects.filter(id=created.key.id).update(expires_at=created.key.created_at)
    answer = httpx.get(f"{telling_server.url}/v1/echo", headers=_bearer(created.text))
    assert (answer.status_code, _code(answer)) == (401, "api_key_expired")


def test_a_body_that_says_it_is_too_large_is_refused_unread(
    telling_server: GranianServer, tenant: CreatedTenant
) -> None:
    head = f"POST /v1/echo HTTP/1.1\nContent-Length: 99999999\nAuthorization: Bearer {tenant.key.text}"
    with RawRequest(telling_server.port, head) as request:
        answer = request.answer()
    assert answer.status == 413
    assert b'"limit_bytes": 8388608' in answer.body


def test_a_body_that_turns_out_too_large_is_refused(telling_server: GranianServer, tenant: CreatedTenant) -> None:
    head = f"POST /v1/echo HTTP/1.1\nTransfer-Encoding: chunked\nAuthorization: Bearer {tenant.key.text}"
    with RawRequest(telling_server.port, head) as request:
        assert request.send_until_refused(BLOCK, 100 * 2**20) < 30 * 2**20


MALFORMED = {
    "no number": [b"zz\r\n"],
    "no number after a good chunk": [b"5\r\n--b\r\n\r\n", b"zz\r\n"],
    "no line break after the bytes": [b"5\r\n--b\r\nXX"],
    "below zero": [b"-1\r\n"],
    "beyond all numbers": [b"fffffffffffffffff\r\n"],
}
PLACES = {
    "own": ("POST /v1/echo", "application/json"),
    "upload": ("POST /v1/documents", "multipart/form-data; boundary=b"),
    "protocol": ("POST /v2/models/embed/infer", "application/json"),
    "OpenAI": ("POST /v1/embeddings", "application/json"),
    "page": ("POST /echo", "application/x-www-form-urlencoded"),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("pieces", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_chunks_are_refused_in_the_words_of_the_place(
    telling_server: GranianServer, tenant: CreatedTenant, place: str, pieces: list[bytes]
) -> None:
    line, content_type = PLACES[place]
    head = (
        f"{line} HTTP/1.1\nTransfer-Encoding: chunked\nContent-Type: {content_type}\n"
        f"Authorization: Bearer {tenant.key.text}"
    )
    with RawRequest(telling_server.port, head) as request:
        for piece in pieces:
            request.send(piece)
        answer = request.answer()
    assert answer.status == 400
    assert "connection: close" in answer.head
    body = json.loads(answer.body)
    error = body["error"] if place == "OpenAI" else body
    words = {"protocol": "error", "OpenAI": "message"}.get(place, "detail")
    assert error["code"] == "invalid_request"
    assert error[words].startswith("The chunks of the body are malformed")
