"""Test calls that a worker of the same machine takes by its socket."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from inference.core.calls import Call
from inference.core.errors import CallCanceled, DeadlinePassed
from inference.rpc import AsyncLaneClient, LaneReader
from inference.rpc.answers import LaneAnswer, read_answer
from inference.rpc.errors import WorkerGone
from inference.rpc.socket_client import Worker
from inference.rpc.socket_files import connect
from inference.rpc.socket_frames import FrameReader, Kind, call_parts, frame, read_answers
from inference.rpc.works import write_work
from tests.inference.rpc.conftest import TIMEOUT_S, call_of, text
from tests.inference.rpc.test_begun import BeginningModel
from tests.waiting import eventually

ROWS = 64


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @wraps(test)
    def run(*args: Any, **named: Any) -> None:
        asyncio.run(asyncio.wait_for(test(*args, **named), TIMEOUT_S))

    return run


@pytest.fixture
def model() -> BeginningModel:
    return BeginningModel()


@pytest.fixture
def reader(url: str, model: BeginningModel, model_key: str, tmp_path: Path) -> Iterator[LaneReader]:
    reader = started(url, model, model_key, tmp_path)
    yield reader
    model.gate.set()
    model.end_all()
    reader.stop(0.2)


def started(url: str, model: BeginningModel, model_key: str, folder: Path) -> LaneReader:
    reader = LaneReader(url, model.serve, slots=2, begins=model, sockets=folder)
    reader.set_lanes([model_key])
    reader.start()
    assert reader.reading.wait(TIMEOUT_S)
    return reader


async def until(condition: Callable[[], object]) -> None:
    while not condition():  # noqa: ASYNC110  # what it looks at has no event
        await asyncio.sleep(0.005)


@asynccontextmanager
async def connected(url: str, folder: Path, model_key: str) -> AsyncIterator[AsyncLaneClient]:
    client = AsyncLaneClient(url, sockets=folder)
    assert client._sockets is not None
    client._sockets.start()
    await until(lambda: client._sockets.with_room(model_key, "a") is not None)  # type: ignore[union-attr]
    try:
        yield client
    finally:
        await client.close()


def worker_of(client: AsyncLaneClient, model_key: str) -> Worker:
    assert client._sockets is not None
    worker = client._sockets.with_room(model_key, "a")
    assert worker is not None
    return worker


def ask(
    client: AsyncLaneClient,
    model_key: str,
    content: str,
    call: Call | None = None,
    coalesce: str | None = None,
) -> "asyncio.Task[LaneAnswer]":
    asked = client.call(model_key, text(content), {}, call or call_of(), coalesce=coalesce)
    return asyncio.create_task(asked)


@in_loop
async def test_calls_are_answered_without_redis(
    url: str, reader: LaneReader, model: BeginningModel, model_key: str, tmp_path: Path
) -> None:
    async with connected(url, tmp_path, model_key) as client:
        tasks = [ask(client, model_key, f"{number}") for number in range(20)]
        await until(lambda: len(model.held) == 20)
        model.end_all()
        answers = [(await task).output.result for task in tasks]
        assert answers == [{"begun": [f"{number}"]} for number in range(20)]
        assert client._listener is None  # Nothing was sent by Redis.


@in_loop
async def test_equal_calls_share_a_run(
    url: str, reader: LaneReader, model: BeginningModel, model_key: str, tmp_path: Path
) -> None:
    async with connected(url, tmp_path, model_key) as client, connected(url, tmp_path, model_key) as other:
        first = ask(client, model_key, "a", coalesce="same")
        await until(lambda: model.held)
        second = ask(other, model_key, "a", coalesce="same")
        await until(lambda: len(reader._hand._by_request) == 2)
        model.end_all()
        assert [(await one).joined for one in (first, second)] == [False, True]
        assert len(model.held) == 1


@in_loop
async def test_a_call_that_is_given_up_is_canceled_in_the_worker(
    url: str, reader: LaneReader, model: BeginningModel, model_key: str, tmp_path: Path
) -> None:
    async with connected(url, tmp_path, model_key) as client:
        left = ask(client, model_key, "left")
        canceled, late = call_of(), call_of(within_s=0.2)
        told, waited = ask(client, model_key, "told", canceled), ask(client, model_key, "late", late)
        await until(lambda: len(model.held) == 3)
        left.cancel()
        canceled.cancel()
        with pytest.raises(CallCanceled):
            await told
        with pytest.raises(DeadlinePassed):
            await waited
        await until(lambda: all(held.request.call.canceled for held in model.held))


@in_loop
async def test_the_calls_of_a_process_that_is_gone_are_canceled(
    url: str, reader: LaneReader, model: BeginningModel, model_key: str, tmp_path: Path
) -> None:
    async with connected(url, tmp_path, model_key) as client:
        task = ask(client, model_key, "a")
        await until(lambda: model.held)
        worker_of(client, model_key).close("killed")
        with pytest.raises(WorkerGone):
            await task
        await until(lambda: model.held[0].request.call.canceled)


@in_loop
async def test_a_worker_that_stops_gives_back_what_another_then_runs(
    url: str, reader: LaneReader, model: BeginningModel, model_key: str, tmp_path: Path
) -> None:
    async with connected(url, tmp_path, model_key) as client:
        task = ask(client, model_key, "a")
        await until(lambda: model.held)
        model.gate.set()
        other_model = BeginningModel()
        other = started(url, other_model, model_key, tmp_path / "elsewhere")
        try:
            await asyncio.to_thread(reader.stop, 0.2)
            assert (await task).output.result == {"texts": ["a"]}
            assert other_model.texts() == ["a"]
        finally:
            await asyncio.to_thread(other.stop, 0.2)


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch, reader: LaneReader) -> None:
    """Make the worker say nothing by itself, and the client soon notice that."""
    monkeypatch.setattr("inference.rpc.socket_client.SILENT_S", 0.3)
    monkeypatch.setattr("inference.rpc.socket_server.SAYS_EVERY_S", 60)


@in_loop
async def test_a_worker_that_falls_silent_gets_no_more_calls(
    url: str, silent: None, model_key: str, tmp_path: Path
) -> None:
    async with connected(url, tmp_path, model_key) as client:
        task = ask(client, model_key, "a")
        with pytest.raises(WorkerGone):
            await task


@in_loop
async def test_a_process_that_was_frozen_itself_gives_up_no_worker(
    url: str, reader: LaneReader, model: BeginningModel, model_key: str, tmp_path: Path
) -> None:
    async with connected(url, tmp_path, model_key) as client:
        assert client._sockets is not None
        task = ask(client, model_key, "a")
        await until(lambda: model.held)
        worker = worker_of(client, model_key)
        worker._heard_s -= 60
        client._sockets._looked_s -= 60
        await client._sockets._look()
        assert not worker.closed
        model.end_all()
        assert (await task).output.result == {"begun": ["a"]}


@in_loop
async def test_what_is_large_goes_by_redis(
    url: str, reader: LaneReader, model: BeginningModel, model_key: str, tmp_path: Path
) -> None:
    async with connected(url, tmp_path, model_key) as client:
        large = ask(client, model_key, "x" * client._limits.inline_bytes)
        assert (await large).output.result is not None
        assert not model.held


@in_loop
async def test_a_tenant_leaves_as_much_room_to_others_as_it_takes(
    url: str, reader: LaneReader, model: BeginningModel, model_key: str, tmp_path: Path
) -> None:
    async with connected(url, tmp_path, model_key) as client:
        worker = worker_of(client, model_key)
        many = [ask(client, model_key, f"{number}") for number in range(ROWS)]
        await until(lambda: len(model.held) == ROWS)
        assert worker.room(model_key, "a") <= 0
        beyond = ask(client, model_key, "beyond")
        await until(lambda: client._listener is not None)  # By Redis.
        assert worker.room(model_key, "b") == ROWS - 1
        other = ask(client, model_key, "other", call_of("b"))
        await until(lambda: any(held.request.call.tenant == "b" for held in model.held))
        model.gate.set()
        while not all(task.done() for task in (*many, beyond, other)):
            model.end_all()
            await asyncio.sleep(0.01)


@in_loop
async def test_a_model_that_needs_threads_is_not_asked_by_socket(
    url: str, reader: LaneReader, model: BeginningModel, model_key: str, tmp_path: Path
) -> None:
    async with connected(url, tmp_path, model_key) as client:
        model.needs_threads = True
        assert client._sockets is not None
        await until(lambda: client._sockets.with_room(model_key, "a") is None)  # type: ignore[union-attr]
        assert (await ask(client, model_key, "a")).output.result == {"texts": ["a"]}


@in_loop
async def test_a_process_that_sends_other_bytes_is_disconnected_and_disturbs_nobody(
    url: str, reader: LaneReader, model: BeginningModel, model_key: str, tmp_path: Path
) -> None:
    (path,) = tmp_path.glob("*.sock")  # noqa: ASYNC240
    async with connected(url, tmp_path, model_key) as client:
        stranger = connect(path)
        stranger.setblocking(True)
        stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert await asyncio.to_thread(read_all, stranger)
        task = ask(client, model_key, "a")
        await until(lambda: model.held)
        model.end_all()
        assert (await task).output.result == {"begun": ["a"]}


def test_calls_of_one_frame_that_end_together_are_answered_in_one_frame(
    reader: LaneReader, model: BeginningModel, model_key: str, tmp_path: Path
) -> None:
    (path,) = tmp_path.glob("*.sock")
    late_s = time.monotonic() + TIMEOUT_S
    calls = [
        call_parts(number, 0.0, late_s, (model_key, "a", ""), write_work(text(f"{number}"), {})) for number in (1, 2)
    ]
    with connect(path) as web:
        web.setblocking(True)
        web.sendall(frame(Kind.CALLS, [part for call in calls for part in call]))
        eventually(lambda: len(model.held) == 2, "both have begun")
        model.end_together()
        answers = next(body for kind, body in frames_of(web) if kind is Kind.ANSWERS)
    read = {number: read_answer(payload).output.result for number, payload in read_answers(answers)}
    assert read == {1: {"begun": ["1"]}, 2: {"begun": ["2"]}}
    eventually(lambda: model.answered_count == 2, "the model hears that both have their answers")


def frames_of(connection: socket.socket) -> Iterator[tuple[Kind, memoryview]]:
    reading = FrameReader()
    while data := connection.recv(4096):
        yield from reading.read(data)


def read_all(connection: socket.socket) -> bytes:
    with connection:
        found = b""
        try:
            while data := connection.recv(4096):
                found += data
        except ConnectionResetError:
            pass
        return found


def test_only_the_own_user_may_use_a_socket(reader: LaneReader, tmp_path: Path) -> None:
    (path,) = tmp_path.glob("*.sock")
    assert path.stat().st_mode & 0o777 == 0o600


def test_sockets_of_dead_workers_are_removed(
    url: str, reader: LaneReader, model: BeginningModel, model_key: str, tmp_path: Path
) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / "dead.sock"))
    other = started(url, BeginningModel(), model_key, tmp_path)
    try:
        names = {path.name for path in tmp_path.glob("*.sock")}
        assert "dead.sock" not in names
        assert len(names) == 2
    finally:
        other.stop(0.2)
