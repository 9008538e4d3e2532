"""A web process that is told to stop."""

import json
import signal
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from jobs.live.spool import BATCH_BYTES, LOCK
from tenants.services import CreatedTenant
from tests.jobs.conftest import Desk, desk
from tests.maas.granian_server import GranianServer, frozen_children
from tests.maas.raw_http import RawRequest
from tests.waiting import eventually

__all__ = ["desk"]

FORM = (
    "POST /v1/documents HTTP/1.1\nTransfer-Encoding: chunked\nContent-Type: multipart/form-data; boundary=b"
)
JSON = "POST /v1/jobs HTTP/1.1\nContent-Length: 100\nContent-Type: application/json"
PART = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n'


def test_waits_are_answered_and_sockets_closed_at_once(tenant: CreatedTenant, desk: Desk) -> None:
    key = {"Authorization": f"Bearer {tenant.key.text}"}
    content = {"model": desk.version.served_model.name, "input": {"text": "hello"}}
    with GranianServer("maas.asgi:application") as server, ThreadPoolExecutor(1) as pool:
        url = f"ws://127.0.0.1:{server.port}/ws/v1/events"
        with connect(url, additional_headers=key) as socket:
            assert json.loads(socket.recv(timeout=10))["type"] == "ready"
            headers = {**key, "Prefer": "wait=60"}
            waiting = pool.submit(
                httpx.post, f"{server.url}/v1/jobs", json=content, headers=headers, timeout=70
            )
            assert json.loads(socket.recv(timeout=10))["type"] == "event"  # The job was accepted.
            server.process.send_signal(signal.SIGTERM)
            answer = waiting.result(timeout=10)
            with pytest.raises(ConnectionClosed) as closed:
                socket.recv(timeout=10)
        assert (answer.status_code, answer.json()["state"]) == (202, "queued")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
        assert server.process.wait(10) == 0
        assert "Killing" not in server.log_path.read_text()
        assert [path.name for path in (server.home / "spool").iterdir()] == [LOCK]


def _stopped_by_itself(server: GranianServer) -> bool:
    return server.process.wait(10) == 0 and "Killing" not in server.log_path.read_text()


def test_bodies_that_are_still_coming_hold_up_nothing(tenant: CreatedTenant) -> None:
    key = f"Authorization: Bearer {tenant.key.text}"
    with GranianServer("maas.asgi:application") as server:
        url = f"ws://127.0.0.1:{server.port}/ws/v1/events"
        with (
            connect(url, additional_headers={"Authorization": f"Bearer {tenant.key.text}"}) as socket,
            RawRequest(server.port, f"{FORM}\n{key}") as form,
            RawRequest(server.port, f"{JSON}\n{key}") as content,
        ):
            form.send_chunk(PART + b"x" * 2 * BATCH_BYTES)
            content.send(b'{"model"')
            spool = server.home / "spool"
            eventually(
                lambda: [path for path in spool.glob("*/*") if path.name != LOCK], "an upload under way"
            )
            assert json.loads(socket.recv(timeout=10))["type"] == "ready"
            server.process.send_signal(signal.SIGTERM)
            for answer in (form.answer(), content.answer()):
                assert answer.status == 503
                assert b'"restarting"' in answer.body
                assert "retry-after: 1" in answer.head
        assert _stopped_by_itself(server)


def test_documents_that_are_being_looked_at_hold_up_nothing(tenant: CreatedTenant) -> None:
    with (
        GranianServer("maas.asgi:application", {"MAAS_READER_CHILDREN": "1"}) as server,
        ThreadPoolExecutor(3) as pool,
    ):

        def send(number: int) -> httpx.Response:
            files = {"file": ("a.txt", f"text {number}".encode())}
            key = {"Authorization": f"Bearer {tenant.key.text}"}
            return httpx.post(f"{server.url}/v1/documents", files=files, headers=key, timeout=30)

        assert send(0).status_code == 201
        with frozen_children(server):
            sent = [pool.submit(send, number) for number in (1, 2, 3)]
            eventually(lambda: len(list((server.home / "spool").glob("*/*"))) > 3, "all uploads on disk")
            server.process.send_signal(signal.SIGTERM)
            assert {one.result().json()["code"] for one in sent} == {"restarting"}
            assert _stopped_by_itself(server)
