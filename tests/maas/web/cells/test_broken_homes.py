"""Tests of what a caller gets if the home cell, or the way to it, fails in the middle of a request."""

import asyncio
from collections import deque

import pytest
from aiohttp import web
from structlog.testing import capture_logs

from jobs.streaming.following import KEEP_ALIVE_S
from jobs.streaming.request_headers import LONGEST_WAIT_S
from maas.local.supervisor.ports import free_port
from maas.web.cells import requests, sockets
from maas.web.cells.front import FORWARDED
from tenants.core.asgi.protocol import Message
from tenants.core.asgi.stopping import Stop
from tests.maas.web.cells.scripted_home import (
    CLOSES,
    OK,
    SILENCE,
    Answer,
    ScriptedHome,
    ask,
    front_to,
    leaves,
    parts,
    scope_of,
    until,
)


@pytest.mark.parametrize("method", ["DELETE", "PUT", "PATCH", "POST"])
@pytest.mark.parametrize("listens", [True, False])
def test_what_may_have_been_carried_out_is_sent_once(method: str, listens: bool) -> None:
    async def run() -> None:
        async with ScriptedHome(OK, CLOSES, OK) as home:
            front = front_to(us=home.url)
            assert (await ask(front, scope_of())).status == 200
            if not listens:
                home.listen_no_more()
            answer = await ask(front, scope_of(method))
            assert (answer.status, b"cell_connection_lost" in answer.body) == (502, True)
            assert home.connections == [1, 1]
            assert [head.split()[0] for head in home.heads] == ["GET", method]
            await front.close()

    asyncio.run(run())


def test_what_only_reads_is_sent_again_if_a_kept_connection_was_dead() -> None:
    async def run() -> None:
        async with ScriptedHome(OK, CLOSES, OK) as home:
            front = front_to(us=home.url)
            for _ in range(2):
                assert (await ask(front, scope_of())).body == b"ok"
            assert home.connections == [1, 1, 2]
            await front.close()

    asyncio.run(run())


def test_what_ends_a_new_connection_is_not_sent_again() -> None:
    async def run() -> None:
        async with ScriptedHome(CLOSES, OK) as home:
            front = front_to(us=home.url)
            answer = await ask(front, scope_of())
            assert (answer.status, b"cell_unreachable" in answer.body) == (503, True)
            assert len(home.heads) == 1
            await front.close()

    asyncio.run(run())


def test_nothing_is_sent_again_after_a_part_of_an_answer() -> None:
    async def run() -> None:
        async with ScriptedHome(OK, b"HTTP/1.1 200 OK\r\ncontent-le") as home:
            front = front_to(us=home.url)
            assert (await ask(front, scope_of())).status == 200
            home._and_close = True
            assert (await ask(front, scope_of())).status in (502, 503)
            assert len(home.heads) == 2
            await front.close()

    asyncio.run(run())


def test_a_small_answer_that_breaks_is_an_error_in_words() -> None:
    async def run() -> None:
        async with ScriptedHome(b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nok", and_close=True) as home:
            front = front_to(us=home.url)
            answer = await ask(front, scope_of("POST"))
            assert (answer.status, b"cell_connection_lost" in answer.body) == (502, True)
            await front.close()

    asyncio.run(run())


@pytest.mark.parametrize("reply", [SILENCE, b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nok"])
def test_a_silent_home_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch, reply: bytes) -> None:
    monkeypatch.setattr(requests, "ANSWER_S", 0.1)
    monkeypatch.setattr(requests, "SILENT_S", 0.1)

    async def run() -> None:
        async with ScriptedHome(reply) as home:
            front = front_to(us=home.url)
            answer = await ask(front, scope_of("POST"))
            assert (answer.status, b"cell_connection_lost" in answer.body) == (502, True)
            assert len(front._of_cell) == 0
            await front.close()

    asyncio.run(run())


PART = b"HTTP/1.1 200 OK\r\ncontent-type: %s\r\ntransfer-encoding: chunked\r\n\r\n4\r\npart\r\n"


@pytest.mark.parametrize("kind", [b"text/csv", b"text/event-stream"])
def test_an_answer_that_falls_silent_is_cut_and_never_ended(monkeypatch: pytest.MonkeyPatch, kind: bytes) -> None:
    monkeypatch.setattr(requests, "SILENT_S", 0.2)

    async def run() -> None:
        async with ScriptedHome(PART % kind) as home:
            front = front_to(us=home.url)
            with capture_logs() as logs:
                answer = await ask(front, scope_of())
            assert (answer.status, answer.body, answer.messages[-1].get("more_body")) == (200, b"part", True)
            assert [(log["event"], log["cell"]) for log in logs] == [("cell_answer_cut", "us")]
            assert "Nothing arrived for 0.2 s" in logs[0]["error"]
            assert len(front._of_cell) == 0
            await front.close()

    asyncio.run(run())


def test_a_stream_with_heartbeats_and_a_slow_caller_are_given_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "SILENT_S", 0.4)

    async def run() -> list[Message]:
        sent: list[Message] = []

        async def send(message: Message) -> None:
            sent.append(message)
            if len(sent) == 2:
                await asyncio.sleep(0.8)

        async with ScriptedHome(PART % b"text/event-stream") as home:
            front = front_to(us=home.url)
            asked = asyncio.ensure_future(front(scope_of(), parts(), send))
            await until(lambda: bool(home.heads))
            for _ in range(8):
                await asyncio.sleep(0.2)
                home.write(b"4\r\nbeat\r\n")
            home.write(b"0\r\n\r\n")
            await asked
            await front.close()
        return sent

    sent = asyncio.run(run())
    assert b"".join(message["body"] for message in sent[1:]) == b"part" + b"beat" * 8
    assert not sent[-1].get("more_body")


def test_the_time_for_silence_suits_what_answers_are_silent_for() -> None:
    assert requests.SILENT_S > LONGEST_WAIT_S
    assert requests.SILENT_S > 3 * KEEP_ALIVE_S


@pytest.mark.parametrize(("method", "code"), [("GET", b"restarting"), ("DELETE", b"cell_connection_lost")])
def test_a_process_that_stops_waits_for_no_home(method: str, code: bytes) -> None:
    async def run() -> None:
        stop = Stop()
        async with ScriptedHome(SILENCE) as home:
            front = front_to(stop, us=home.url)
            asked = asyncio.ensure_future(ask(front, scope_of(method)))
            await until(lambda: bool(home.heads))
            stop.tell()
            assert code in (await asked).body
            assert b"restarting" in (await ask(front, scope_of("DELETE"))).body
            assert len(home.heads) == 1
            await front.close()

    asyncio.run(run())


def test_a_silent_handshake_is_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "OPEN_S", 0.1)

    async def connects() -> Message:
        return {"type": "websocket.connect"}

    async def run() -> Answer:
        async with ScriptedHome(SILENCE) as home:
            front = front_to(us=home.url)
            answer = await ask(front, scope_of(type="websocket"), connects)
            await front.close()
            return answer

    assert asyncio.run(run()).messages[0]["type"] != "websocket.accept"


def test_a_socket_whose_home_answers_no_ping_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "PING_S", 0.2)
    connects = deque([{"type": "websocket.connect"}])

    async def receive() -> Message:
        if not connects:
            await asyncio.sleep(60)
        return connects.popleft()

    async def silent(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(autoping=False)
        await socket.prepare(request)
        async for _ in socket:
            pass
        return socket

    async def run() -> Answer:
        app = web.Application()
        app.router.add_get("/v1/jobs/x", silent)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", port := free_port())
        await site.start()
        front = front_to(us=f"http://127.0.0.1:{port}")
        async with asyncio.timeout(10):
            answer = await ask(front, scope_of(type="websocket"), receive)
        await front.close()
        await runner.cleanup()
        return answer

    messages = asyncio.run(run()).messages
    assert [message["type"] for message in messages] == ["websocket.accept", "websocket.close"]
    assert messages[-1]["code"] == sockets.LOST


def test_a_connection_with_half_a_body_is_not_used_again() -> None:
    async def run() -> None:
        async with ScriptedHome(OK, OK) as home:
            front = front_to(us=home.url)
            scope = scope_of("POST", (b"content-length", b"9"))
            assert (await ask(front, scope, parts(b"half", more=True))).status == 200
            assert (await ask(front, scope_of())).status == 200
            assert home.connections == [1, 2]
            await front.close()

    asyncio.run(run())


@pytest.mark.parametrize("given", [(b"half",), (b"ha", b"lf"), (b"half and more",)])
def test_a_body_of_another_length_spoils_no_connection(given: tuple[bytes, ...]) -> None:
    async def run() -> None:
        async with ScriptedHome(SILENCE, OK) as home:
            front = front_to(us=home.url)
            scope = scope_of("POST", (b"content-length", b"9"))
            assert (await ask(front, scope, parts(*given))).status is None
            if len(given) == 1:
                home._replies.popleft()
            assert (await ask(front, scope_of())).status == 200
            assert home.connections[-1] == len(given)
            await front.close()

    asyncio.run(run())


@pytest.mark.parametrize("length", [b"0", b"3", b"1000"])
@pytest.mark.parametrize("given", [(b"four",), (b"four", b"more")])
def test_chunks_with_a_length_go_on_as_chunks(length: bytes, given: tuple[bytes, ...]) -> None:
    async def run() -> None:
        async with ScriptedHome(OK, OK) as home:
            front = front_to(us=home.url)
            scope = scope_of("POST", (b"content-length", length), (b"transfer-encoding", b"chunked"))
            assert (await ask(front, scope, parts(*given))).status == 200
            assert all(part in home.bodies for part in given)
            assert f"length: {length.decode()}\r\n" not in home.heads[0].lower() + "\r\n"
            assert (await ask(front, scope_of())).status == 200
            assert home.connections == [1, 1]
            await front.close()

    asyncio.run(run())


def test_a_caller_who_leaves_is_counted_once() -> None:
    def count() -> float:
        return float(FORWARDED.labels("us", "client_gone")._value.get())

    before = count()
    scope = scope_of("POST", (b"content-length", b"9"))
    asyncio.run(ask(front_to(us="http://127.0.0.1:1"), scope, leaves))
    assert count() == before + 1
