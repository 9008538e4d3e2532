"""Tests of requests that are sent to another cell than their tenant's."""

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from jobs.core.models import Document
from tenants.api_keys.format import new_key, parse_key
from tenants.api_keys.services import create_key, keep_key_to
from tenants.core.db.unit_of_work import unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.raw_http import RawRequest
from tests.maas.web.cells.conftest import TwoCells
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("two_cells")


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def ask(two_cells: TwoCells, key: str, path: str = "/v1/models", **headers: str) -> httpx.Response:
    return httpx.get(f"{two_cells.eu.url}{path}", headers={**bearer(key), **headers}, timeout=30)


def test_a_request_is_answered_by_the_home_cell(two_cells: TwoCells, us_tenant: CreatedTenant) -> None:
    answer = ask(two_cells, us_tenant.key.text, **{"X-Request-Id": "mine-1"})
    assert answer.status_code == 200
    assert answer.headers["x-maas-cell"] == "us"
    assert answer.headers.get_list("x-request-id") == ["mine-1"]
    assert answer.json() == httpx.get(f"{two_cells.us.url}/v1/models", headers=bearer(us_tenant.key.text)).json()


def test_a_tenant_of_this_cell_is_not_sent_anywhere(two_cells: TwoCells, eu_tenant: CreatedTenant) -> None:
    before = two_cells.to_us.carried_bytes
    answer = ask(two_cells, eu_tenant.key.text)
    assert answer.status_code == 200
    assert "x-maas-cell" not in answer.headers
    assert two_cells.to_us.carried_bytes == before


def test_query_status_and_error_are_those_of_the_home_cell(two_cells: TwoCells, us_tenant: CreatedTenant) -> None:
    answer = ask(two_cells, us_tenant.key.text, "/v1/jobs/none%2Fhere?limit=a%20b")
    direct = httpx.get(f"{two_cells.us.url}/v1/jobs/none%2Fhere?limit=a%20b", headers=bearer(us_tenant.key.text))
    assert answer.status_code == direct.status_code == 404
    assert answer.json()["detail"] == direct.json()["detail"]
    assert answer.json()["request_id"] == answer.headers["x-request-id"]
    assert httpx.head(f"{two_cells.eu.url}/v1/models", headers=bearer(us_tenant.key.text)).status_code == 200


def test_a_large_document_arrives_unchanged(two_cells: TwoCells, us_tenant: CreatedTenant) -> None:
    content = b"".join(b"%d" % number + b"\n "[number % 9 > 0 :][:1] for number in range(280_000))
    made = httpx.post(
        f"{two_cells.eu.url}/v1/documents",
        headers=bearer(us_tenant.key.text),
        files={"file": ("numbers.txt", content, "text/plain")},
        timeout=60,
    )
    assert made.status_code == 201, made.text
    with unit_of_work(us_tenant.tenant.id):
        document = Document.objects.get(id=made.json()["id"])
    assert document.sha256 == hashlib.sha256(content).hexdigest()


def test_a_body_of_unknown_length_is_passed_on(two_cells: TwoCells, us_tenant: CreatedTenant) -> None:
    def parts() -> Iterator[bytes]:
        for part in (b'{"inputs": [{"name": "text", "shape": [1], "datatype": "BYTES", ', b'"data": ["a"]}]', b"}"):
            yield part
            time.sleep(0.05)

    url = f"{two_cells.eu.url}/v2/models/none/infer"
    answer = httpx.post(url, headers=bearer(us_tenant.key.text), content=parts(), timeout=30)
    assert (answer.status_code, answer.headers["x-maas-cell"]) == (404, "us")
    assert "none" in answer.json()["error"]


def test_the_home_cell_sees_the_caller_and_not_the_cell(two_cells: TwoCells, us_tenant: CreatedTenant) -> None:
    with unit_of_work(us_tenant.tenant.id):
        keep_key_to(key_id=us_tenant.key.key.id, allowed_models=[], allowed_networks=["203.0.113.0/24"])
    key = us_tenant.key.text
    eventually(lambda: ask(two_cells, key, **{"X-Forwarded-For": "198.51.100.1"}).status_code == 403, "the refusal")
    assert ask(two_cells, key, **{"X-Forwarded-For": "203.0.113.7"}).status_code == 200
    assert ask(two_cells, key, **{"X-Forwarded-For": "203.0.113.7, 198.51.100.1"}).status_code == 403


def test_nobody_but_a_cell_can_vouch_for_a_caller(two_cells: TwoCells, us_tenant: CreatedTenant) -> None:
    with unit_of_work(us_tenant.tenant.id):
        keep_key_to(key_id=us_tenant.key.key.id, allowed_models=[], allowed_networks=["203.0.113.0/24"])
    eventually(lambda: ask(two_cells, us_tenant.key.text).status_code == 403, "the refusal")
    for forged in ("203.0.113.7", f"eu {int(time.time() * 1000)} 203.0.113.7 {'A' * 86}==", "eu", "x" * 5000):
        headers = {**bearer(us_tenant.key.text), "X-Maas-Forwarded": forged}
        assert httpx.get(f"{two_cells.us.url}/v1/models", headers=headers).status_code == 403


def test_a_forwarded_request_is_never_forwarded_again(two_cells: TwoCells, us_tenant: CreatedTenant) -> None:
    before = two_cells.to_us.carried_bytes
    answer = ask(two_cells, us_tenant.key.text, **{"X-Maas-Forwarded": "us 1 203.0.113.7 nonsense"})
    assert (answer.status_code, answer.json()["code"]) == (421, "wrong_cell")
    assert two_cells.to_us.carried_bytes == before


def test_a_key_of_an_unknown_cell_is_refused(two_cells: TwoCells) -> None:
    answer = ask(two_cells, new_key(livemode=True, cell="ap").text)
    assert (answer.status_code, answer.json()["code"]) == (401, "unknown_cell")
    assert "there are 'eu', 'us'" in answer.json()["detail"]
    assert answer.json()["request_id"] == answer.headers["x-request-id"]


def test_a_mistyped_key_leaves_this_cell_as_little_as_any_other(two_cells: TwoCells, us_tenant: CreatedTenant) -> None:
    before = two_cells.to_us.carried_bytes
    answer = ask(two_cells, us_tenant.key.text[:-1] + ("a" if us_tenant.key.text[-1] != "a" else "b"))
    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_api_key")
    assert two_cells.to_us.carried_bytes == before


def test_an_upload_with_a_wrong_key_ends_at_once(two_cells: TwoCells, us_tenant: CreatedTenant) -> None:
    parts = parse_key(us_tenant.key.text)
    assert parts is not None
    wrong = replace(parts, secret="0" * 32).text
    head = f"POST /v1/documents HTTP/1.1\nAuthorization: Bearer {wrong}\nTransfer-Encoding: chunked"
    with RawRequest(two_cells.eu.port, f"{head}\nContent-Type: multipart/form-data; boundary=x") as request:
        request.send_chunk(b"--x\r\n")
        assert request.answer().status == 401


def test_a_cut_cell_is_named_and_comes_back(
    two_cells: TwoCells, us_tenant: CreatedTenant, eu_tenant: CreatedTenant
) -> None:
    assert ask(two_cells, us_tenant.key.text).status_code == 200
    two_cells.to_us.cut()
    try:
        for method in ("GET", "POST"):
            url = f"{two_cells.eu.url}/v1/jobs"
            answer = httpx.request(method, url, headers=bearer(us_tenant.key.text), timeout=30)
            assert (answer.status_code, answer.json()["code"], answer.json()["cell"]) == (503, "cell_unreachable", "us")
            assert answer.headers["retry-after"] == "5"
            assert two_cells.to_us.url in answer.json()["detail"]
        with pytest.raises(InvalidStatus) as refused:
            connect(f"ws://127.0.0.1:{two_cells.eu.port}/ws/v1/events", additional_headers=bearer(us_tenant.key.text))
        assert refused.value.response.status_code in (403, 503)
        assert ask(two_cells, eu_tenant.key.text).status_code == 200
    finally:
        two_cells.to_us.heal()
    eventually(lambda: ask(two_cells, us_tenant.key.text).status_code == 200, "the way back", timeout_s=10)


def test_an_upload_that_is_cut_is_not_reported_as_undone(two_cells: TwoCells, us_tenant: CreatedTenant) -> None:
    head = f"POST /v1/documents HTTP/1.1\nAuthorization: Bearer {us_tenant.key.text}\nContent-Length: 1000000"
    try:
        with RawRequest(two_cells.eu.port, f"{head}\nContent-Type: multipart/form-data; boundary=x") as request:
            before = two_cells.to_us.carried_bytes
            request.send(b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n' + b"a" * 1000)
            eventually(lambda: two_cells.to_us.carried_bytes > before + 1000, "the first bytes")
            two_cells.to_us.cut()
            answer = request.answer()
            assert answer.status == 502
            assert json.loads(answer.body)["code"] == "cell_connection_lost"
    finally:
        two_cells.to_us.heal()
    with unit_of_work(us_tenant.tenant.id):
        assert not Document.objects.exists()


def test_a_silent_cut_is_noticed(two_cells: TwoCells, us_tenant: CreatedTenant) -> None:
    """Only the bytes of this test's connections stop, and the kernel still acknowledges them, so a server that is
    silent is given all the time that it would have here.
    """
    assert ask(two_cells, us_tenant.key.text).status_code == 200
    two_cells.to_us.freeze()
    try:
        with pytest.raises(httpx.ReadTimeout):
            httpx.get(f"{two_cells.eu.url}/v1/models", headers=bearer(us_tenant.key.text), timeout=1)
    finally:
        two_cells.to_us.heal()
    assert ask(two_cells, us_tenant.key.text).status_code == 200


def test_a_caller_who_leaves_is_not_waited_for(two_cells: TwoCells, us_tenant: CreatedTenant) -> None:
    with httpx.stream(
        "GET",
        f"{two_cells.eu.url}/v1/events",
        headers={**bearer(us_tenant.key.text), "Accept": "text/event-stream"},
        timeout=10,
    ) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert open_streams(two_cells) == 1
    eventually(lambda: open_streams(two_cells) == 0, "the end of the stream", timeout_s=10)


def open_streams(two_cells: TwoCells) -> int:
    text = httpx.get(f"{two_cells.us.url}/metrics").text
    lines = [line for line in text.splitlines() if line.startswith("maas_streaming_connections{")]
    return round(sum(float(line.rpartition(" ")[2]) for line in lines))


def test_events_arrive_while_they_happen(two_cells: TwoCells, us_tenant: CreatedTenant) -> None:
    lines: list[str] = []

    def read() -> None:
        with (
            httpx.stream(
                "GET",
                f"{two_cells.eu.url}/v1/events?after=0",
                headers={**bearer(us_tenant.key.text), "Accept": "text/event-stream"},
                timeout=30,
            ) as stream,
        ):
            for line in stream.iter_lines():
                lines.append(line)
                if line.startswith("event: document."):
                    return

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    eventually(lambda: bool(lines), "the first line")
    httpx.post(
        f"{two_cells.us.url}/v1/documents",
        headers=bearer(us_tenant.key.text),
        files={"file": ("a.txt", b"words", "text/plain")},
    )
    reader.join(2)


@pytest.mark.parametrize("by", ["key", "ticket"])
def test_a_socket_is_carried_both_ways(two_cells: TwoCells, us_tenant: CreatedTenant, by: str) -> None:
    headers, query = bearer(us_tenant.key.text), ""
    if by == "ticket":
        answer = httpx.post(f"{two_cells.eu.url}/v1/tickets", headers=headers, json={})
        headers, query = {}, f"?ticket={answer.json()['ticket']}"
        assert query.startswith("?ticket=us.")
    with connect(
        f"ws://127.0.0.1:{two_cells.eu.port}/ws/v1/events{query}", additional_headers=headers, open_timeout=20
    ) as socket:
        assert json.loads(socket.recv(timeout=20))["type"] == "ready"
        socket.send("nonsense")
        assert json.loads(socket.recv(timeout=20))["type"] == "error"


def test_a_socket_with_a_wrong_key_is_refused_as_at_home(two_cells: TwoCells) -> None:
    headers = bearer(new_key(livemode=True, cell="us").text)
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://127.0.0.1:{two_cells.eu.port}/ws/v1/events", additional_headers=headers)
    with pytest.raises(InvalidStatus) as direct:
        connect(f"ws://127.0.0.1:{two_cells.us.port}/ws/v1/events", additional_headers=headers)
    assert refused.value.response.status_code == direct.value.response.status_code


def test_a_socket_ends_when_the_cells_are_cut(two_cells: TwoCells, us_tenant: CreatedTenant) -> None:
    url = f"ws://127.0.0.1:{two_cells.eu.port}/ws/v1/events"
    try:
        with connect(url, additional_headers=bearer(us_tenant.key.text)) as socket:
            assert json.loads(socket.recv(timeout=20))["type"] == "ready"
            two_cells.to_us.cut()
            with pytest.raises(ConnectionClosed) as closed:
                socket.recv(timeout=20)
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1013
    finally:
        two_cells.to_us.heal()


def test_a_stream_is_not_ended_as_if_it_were_whole_when_the_cells_are_cut(
    two_cells: TwoCells, us_tenant: CreatedTenant
) -> None:
    headers = {**bearer(us_tenant.key.text), "Accept": "text/event-stream"}
    try:
        with httpx.stream("GET", f"{two_cells.eu.url}/v1/events", headers=headers, timeout=20) as stream:
            lines = stream.iter_lines()
            assert next(lines)
            two_cells.to_us.cut()
            with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
                list(lines)
    finally:
        two_cells.to_us.heal()
    log = two_cells.eu.log_path.read_text()
    assert "cell_answer_cut" in log
    assert "Traceback" not in log


def test_nothing_of_a_forwarded_request_is_logged(two_cells: TwoCells, us_tenant: CreatedTenant) -> None:
    marker = "a-name-that-stays-at-home"
    with unit_of_work(us_tenant.tenant.id):
        key = create_key(tenant_id=us_tenant.tenant.id, name="x").text
    httpx.post(
        f"{two_cells.eu.url}/v1/documents?name={marker}",
        headers={**bearer(key), "User-Agent": marker},
        files={"file": (marker, marker.encode(), "text/plain")},
    )
    log = two_cells.eu.log_path.read_text()
    assert marker not in log
    assert key not in log
