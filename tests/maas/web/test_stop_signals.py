"""Tests of a web process that is asked to stop."""

import asyncio
import json
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import uvloop
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from jobs.events.log import append_event
from jobs.intake.spool import BATCH_BYTES
from maas.web.stop_signals import Parting, on_stop_signal
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.own_folder import LOCK
from tenants.onboarding.create_tenant import CreatedTenant
from tests.event_source import events_in, said_in
from tests.jobs.conftest import Desk, desk
from tests.jobs.uploads.tus import BYTES, Tus
from tests.maas.granian_server import GranianServer, frozen_children
from tests.maas.raw_http import RawRequest
from tests.samples.pdfs import text_pdf
from tests.waiting import eventually

__all__ = ["desk"]

FORM = "POST /v1/documents HTTP/1.1\nTransfer-Encoding: chunked\nContent-Type: multipart/form-data; boundary=b"
JSON = "POST /v1/jobs HTTP/1.1\nContent-Length: 100\nContent-Type: application/json"
PART = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n'


def test_waits_are_answered_and_sockets_closed_at_once_and_a_body_that_was_coming_is_taken(
    tenant: CreatedTenant, desk: Desk
) -> None:
    key = {"Authorization": f"Bearer {tenant.key.text}"}
    content = {"model": desk.version.served_model.name, "input": {"text": "hello"}}
    body = json.dumps(content).encode()
    head = (
        f"POST /v1/jobs HTTP/1.1\nContent-Length: {len(body)}\nContent-Type: application/json\n"
        f"Authorization: {key['Authorization']}"
    )
    with (
        GranianServer("maas.asgi:application", {"MAAS_FINISH_S": "4"}) as server,
        ThreadPoolExecutor(1) as pool,
    ):
        url = f"ws://127.0.0.1:{server.port}/ws/v1/events"
        with connect(url, additional_headers=key) as socket, RawRequest(server.port, head) as request:
            assert json.loads(socket.recv(timeout=10))["type"] == "ready"
            headers = {**key, "Prefer": "wait=60"}
            waiting = pool.submit(httpx.post, f"{server.url}/v1/jobs", json=content, headers=headers, timeout=70)
            assert json.loads(socket.recv(timeout=10))["type"] == "event"  # The job was accepted.
            request.send(body[:10])
            server.process.send_signal(signal.SIGTERM)
            answer = waiting.result(timeout=10)
            word = json.loads(socket.recv(timeout=10))
            with pytest.raises(ConnectionClosed) as closed:
                socket.recv(timeout=10)
            request.send(body[10:])
            assert request.answer().status == 202
        assert (word["type"], word["code"]) == ("error", "restarting")
        assert 1_000 <= word["retry_after_ms"] < 10_000
        assert (answer.status_code, answer.json()["state"]) == (202, "queued")
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
        _assert_stopped_by_itself(server)
        assert [path.name for path in (server.home / "spool").iterdir()] == [LOCK]


def _assert_stopped_by_itself(server: GranianServer) -> None:
    status = server.process.wait(20)
    said = server.log_path.read_text()
    assert status == 0, said[-4000:]
    assert "web_process_killed" not in said, said[-4000:]


def test_signals_that_follow_bring_on_what_is_next_at_once() -> None:
    async def heard(told: "_Told") -> None:
        signal.signal(signal.SIGTERM, lambda *_: told.say("server"))
        on_stop_signal(told.parting(drain_s=60, finish_s=60))
        os.kill(os.getpid(), signal.SIGTERM)
        await told.when(["drain"])
        os.kill(os.getpid(), signal.SIGTERM)
        await told.when(["drain", "let go", "server"])
        os.kill(os.getpid(), signal.SIGTERM)
        await told.when(["drain", "let go", "server", "cut"])

    with _own_handler():
        asyncio.run(heard(_Told()))


def test_one_whose_port_others_serve_already_does_not_drain() -> None:
    async def heard(told: "_Told") -> None:
        signal.signal(signal.SIGTERM, lambda *_: told.say("server"))
        on_stop_signal(told.parting(drain_s=60, finish_s=60))
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGHUP)
            await told.when(["drain", "let go", "server"])
        os.kill(os.getpid(), signal.SIGTERM)
        await told.when(["drain", "let go", "server", "cut"])

    with _own_handler():
        asyncio.run(heard(_Told()))


def test_what_is_not_done_in_time_is_cut() -> None:
    async def heard(told: "_Told") -> None:
        signal.signal(signal.SIGTERM, lambda *_: told.say("server"))
        on_stop_signal(told.parting(finish_s=0.05))
        os.kill(os.getpid(), signal.SIGTERM)
        await told.when(["drain", "let go", "server", "cut"])

    with _own_handler():
        asyncio.run(heard(_Told()))


def test_bodies_that_are_still_coming_hold_up_nothing_for_long(tenant: CreatedTenant) -> None:
    key = f"Authorization: Bearer {tenant.key.text}"
    with GranianServer("maas.asgi:application", {"MAAS_FINISH_S": "1"}) as server:
        url = f"ws://127.0.0.1:{server.port}/ws/v1/events"
        with (
            connect(url, additional_headers={"Authorization": f"Bearer {tenant.key.text}"}) as socket,
            RawRequest(server.port, f"{FORM}\n{key}") as form,
            RawRequest(server.port, f"{JSON}\n{key}") as content,
        ):
            form.send_chunk(PART + b"x" * 2 * BATCH_BYTES)
            content.send(b'{"model"')
            spool = server.home / "spool"
            eventually(lambda: [path for path in spool.glob("*/*") if path.name != LOCK], "an upload under way")
            assert json.loads(socket.recv(timeout=10))["type"] == "ready"
            server.process.send_signal(signal.SIGTERM)
            for answer in (form.answer(), content.answer()):
                assert answer.status == 503
                assert b'"restarting"' in answer.body
                assert "retry-after: 1" in answer.head
        _assert_stopped_by_itself(server)


def test_a_resumable_upload_goes_on_at_another_process_from_what_had_arrived(
    tenant: CreatedTenant, tmp_path: Path
) -> None:
    content = text_pdf("Page one", trailer=b"/Note (%s)" % (b"x" * 4 * BATCH_BYTES))
    env = {"MAAS_FINISH_S": "1", "MAAS_STORAGE_URL": f"file://{tmp_path}/files"}
    with (
        GranianServer("maas.asgi:application", env) as old,
        GranianServer("maas.asgi:application", env) as new,
    ):
        at_old, at_new = Tus(old.url, tenant.key.text), Tus(new.url, tenant.key.text)
        path = at_old.begin(len(content))
        head = (
            f"PATCH {path} HTTP/1.1\nContent-Length: {len(content)}\nContent-Type: {BYTES}\n"
            f"Tus-Resumable: 1.0.0\nUpload-Offset: 0\nAuthorization: Bearer {tenant.key.text}"
        )
        with RawRequest(old.port, head) as request:
            request.send(content[: 2 * BATCH_BYTES])
            eventually(lambda: _spooled(old), "bytes that arrive")
            old.process.send_signal(signal.SIGTERM)
            answer = request.answer()
        assert (answer.status, b'"restarting"' in answer.body) == (503, True)
        _assert_stopped_by_itself(old)
        offset = at_new.offset(path)
        assert 0 < offset <= 2 * BATCH_BYTES
        assert at_new.send(path, offset, content[offset:]).status_code == 204
        assert at_new.shown(path)["state"] == "ready"


def _spooled(server: GranianServer) -> bool:
    files = [path for path in (server.home / "spool").glob("*/*") if path.name != LOCK]
    return any(path.stat().st_size for path in files)


def test_documents_that_are_being_looked_at_hold_up_nothing(tenant: CreatedTenant) -> None:
    with (
        GranianServer("maas.asgi:application", {"MAAS_READER_CHILDREN": "1", "MAAS_FINISH_S": "1"}) as server,
        ThreadPoolExecutor(3) as pool,
    ):

        def send(number: int) -> httpx.Response:
            files = {"file": ("a.pdf", text_pdf(f"text {number}"))}
            key = {"Authorization": f"Bearer {tenant.key.text}"}
            return httpx.post(f"{server.url}/v1/documents", files=files, headers=key, timeout=30)

        assert send(0).status_code == 201
        with frozen_children(server, 1):
            sent = [pool.submit(send, number) for number in (1, 2, 3)]
            eventually(lambda: len(list((server.home / "spool").glob("*/*"))) > 3, "all uploads on disk")
            server.process.send_signal(signal.SIGTERM)
            assert {one.result().json()["code"] for one in sent} == {"restarting"}
            _assert_stopped_by_itself(server)


def _status(server: GranianServer) -> str:
    return str(httpx.get(f"{server.url}/readyz").json()["status"])


def test_a_process_that_drains_says_so_and_serves_until_it_lets_go(tenant: CreatedTenant, desk: Desk) -> None:
    key = {"Authorization": f"Bearer {tenant.key.text}"}
    job = desk.submit()
    server = GranianServer("maas.asgi:application", {"MAAS_DRAIN_S": "60"})
    with (
        server,
        ThreadPoolExecutor(1) as pool,
        httpx.Client(base_url=server.url, headers=key, timeout=70) as client,
        client.stream("GET", f"/v1/jobs/{job.id}/events", headers={"Accept": "text/event-stream"}) as streamed,
        connect(f"ws://127.0.0.1:{server.port}/ws/v1/events", additional_headers=key) as socket,
    ):
        stream = events_in(said_in(streamed.iter_lines()))
        assert next(stream).id == "1"
        assert json.loads(socket.recv(timeout=10))["type"] == "ready"
        waiting = pool.submit(
            httpx.get, f"{server.url}/v1/jobs/{job.id}", headers={**key, "Prefer": "wait=60"}, timeout=70
        )
        assert _status(server) == "ready"
        server.process.send_signal(signal.SIGTERM)
        eventually(lambda: _status(server) == "draining", "the word that it drains")
        kept = client.get(f"/v1/jobs/{job.id}")
        assert (kept.status_code, kept.headers["connection"]) == (200, "close")
        # New callers are still served, on a connection of their own. Callers who are already connected are not notified
        # yet.
        assert httpx.get(f"{server.url}/v1/jobs/{job.id}", headers=key).status_code == 200
        with unit_of_work(job.tenant_id):
            append_event(job.id, "while it drains", {})
        assert next(stream).id == "2"
        assert json.loads(socket.recv(timeout=10))["event"]["type"] == "while it drains"
        assert not waiting.done()
        # A second signal of either kind means that there is no time: requests that wait are released, and nothing is
        # cut off.
        server.process.send_signal(signal.SIGINT)
        last = list(stream)[-1]
        assert (last.name, last.data["code"]) == ("close", "restarting")
        assert json.loads(socket.recv(timeout=10))["code"] == "restarting"
        answer = waiting.result(timeout=20)
        assert (answer.status_code, answer.json()["state"]) == (200, "queued")
        _assert_stopped_by_itself(server)


def test_the_time_to_drain_ends_by_itself(tenant: CreatedTenant) -> None:
    with GranianServer("maas.asgi:application", {"MAAS_DRAIN_S": "1", "MAAS_LOG_LEVEL": "INFO"}) as server:
        server.process.send_signal(signal.SIGTERM)
        _assert_stopped_by_itself(server)
        assert "web_draining" in server.log_path.read_text()


def test_a_loop_that_hides_its_handlers_keeps_them() -> None:
    """Otherwise the new handler could not call the server's handler, and the server would never stop."""

    async def heard(told: "_Told") -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told.say, "server")
        on_stop_signal(told.parting(drain_s=60))
        os.kill(os.getpid(), signal.SIGTERM)
        await told.when(["server"])

    with _own_handler():
        uvloop.run(heard(_Told()))


def test_a_server_that_hears_signals_by_itself_is_heard_before_on_any_loop() -> None:
    """The server handles signals by itself, as uvicorn does. uvicorn uses uvloop if it is installed."""

    async def heard(told: "_Told") -> None:
        signal.signal(signal.SIGTERM, lambda *_: told.say("server"))
        on_stop_signal(told.parting())
        os.kill(os.getpid(), signal.SIGTERM)
        await told.when(["drain", "let go", "server"])

    with _own_handler():
        uvloop.run(heard(_Told()))


class _Told:
    def __init__(self) -> None:
        self._words: list[str] = []
        self._more = asyncio.Condition()

    def say(self, word: str) -> None:
        self._words.append(word)
        asyncio.run_coroutine_threadsafe(self._tell(), asyncio.get_event_loop())

    async def when(self, words: list[str]) -> None:
        async with asyncio.timeout(10), self._more:
            await self._more.wait_for(lambda: self._words == words)

    def parting(self, *, drain_s: float = 0, finish_s: float = 60) -> Parting:
        def said(word: str) -> Callable[[], None]:
            return lambda: self.say(word)

        return Parting(said("drain"), said("let go"), said("cut"), lambda: False, drain_s, finish_s)

    async def _tell(self) -> None:
        async with self._more:
            self._more.notify_all()


@contextmanager
def _own_handler() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
