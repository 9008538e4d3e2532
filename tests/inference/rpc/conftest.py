"""Provide queues on the Redis of the test run. Each test has a model of its own."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings

from inference.core.calls import Call
from inference.core.contracts import TextInput, WorkOutput
from inference.rpc import LaneClient, LaneLimits, LaneReader, LaneRequest, lane_demand
from inference.rpc.lines import CommandLine
from tests.waiting import eventually

TIMEOUT_S = 30.0

StartReader = Callable[..., LaneReader]
OpenClient = Callable[..., LaneClient]


def text(content: str) -> TextInput:
    return TextInput((content,), single=True)


def call_of(tenant: str = "a", within_s: float = TIMEOUT_S) -> Call:
    return Call(tenant=tenant, deadline_s=time.monotonic() + within_s)


SMALL = LaneLimits(waiting=6, waiting_per_tenant=4, inline_bytes=512, payload_bytes=20_000)


def waiting(url: str, model_key: str) -> int:
    line = CommandLine(url)
    try:
        return lane_demand(line, [model_key])[model_key].waiting
    finally:
        line.close()


def wait_in_lane(url: str, model_key: str, count: int) -> None:
    eventually(lambda: waiting(url, model_key) == count, f"{count} requests wait", TIMEOUT_S)


class Model:
    """A model that returns its input when the gate is open, and remembers its inputs in order."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.asked: list[LaneRequest] = []
        self.fails: Exception | None = None

    def serve(self, request: LaneRequest) -> WorkOutput:
        self.asked.append(request)
        opened = threading.Event()
        request.call.on_cancel(opened.set)
        while not self.gate.is_set() and not opened.wait(0.005):
            request.call.check()
        request.call.check()
        if self.fails is not None:
            raise self.fails
        return WorkOutput({"texts": self._texts(request)})

    def texts(self) -> list[str]:
        return [text for request in self.asked for text in self._texts(request)]

    def tenants(self) -> list[str]:
        return [request.call.tenant for request in self.asked]

    def _texts(self, request: LaneRequest) -> list[str]:
        return list(request.work.texts) if isinstance(request.work, TextInput) else []


class Caller(threading.Thread):
    """A caller in a separate thread that keeps the result of its call."""

    def __init__(self, client: LaneClient, model_key: str, content: str, call: Call, coalesce: str = "") -> None:
        super().__init__(daemon=True)
        self._client, self._model_key, self._content, self._coalesce = client, model_key, content, coalesce
        self.call = call
        self.answer: object = None
        self.error: Exception | None = None
        self.ended_s = 0.0
        self.start()

    def run(self) -> None:
        try:
            answer = self._client.call(self._model_key, text(self._content), {}, self.call, coalesce=self._coalesce)
            self.answer = answer.output.result
        except Exception as error:
            self.error = error
        self.ended_s = time.monotonic()

    def done(self) -> "Caller":
        self.join(TIMEOUT_S)
        assert not self.is_alive()
        return self


@contextmanager
def running(module: str, *arguments: str) -> "Iterator[subprocess.Popen[str]]":
    """Start a process and wait until it is ready. It ends when its standard input does."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path.cwd(),
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "reading"
    try:
        yield process
    finally:
        process.communicate("")


@pytest.fixture
def url() -> str:
    return str(settings.MAAS_REDIS_URL)


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def model_key() -> str:
    return f"m{uuid4().hex[:8]}@1"


@pytest.fixture
def start_reader(url: str, model: Model, model_key: str) -> Iterator[StartReader]:
    with ExitStack() as stack:

        def start(slots: int = 4, limits: LaneLimits | None = None, at: str = url) -> LaneReader:
            reader = LaneReader(at, model.serve, slots=slots, limits=limits)
            reader.set_lanes([model_key])
            reader.start()
            stack.callback(reader.stop, 0.2)
            stack.callback(model.gate.set)
            assert reader.reading.wait(TIMEOUT_S)
            return reader

        yield start


@pytest.fixture
def open_client(url: str) -> Iterator[OpenClient]:
    with ExitStack() as stack:

        def open_one(limits: LaneLimits | None = None, at: str = url) -> LaneClient:
            client = LaneClient(at, limits=limits)
            stack.callback(client.close)
            return client

        yield open_one


@pytest.fixture
def client(open_client: OpenClient) -> LaneClient:
    return open_client()
