"""Test how much may wait, how large it may be, and how long it remains in Redis."""

import subprocess
import sys
from pathlib import Path

import pytest
import redis

from inference.rpc import LaneLimits, LaneOverloaded
from tests.inference.rpc.conftest import (
    SMALL,
    TIMEOUT_S,
    Caller,
    Model,
    OpenClient,
    StartReader,
    call_of,
    text,
    wait_in_lane,
)
from tests.waiting import eventually


def test_too_many_are_refused_at_once_and_told_how_many_wait(open_client: OpenClient, model_key: str, url: str) -> None:
    client = open_client(SMALL)
    calls = [call_of(tenant) for tenant in ("a", "b", "b", "b", "b", "c")]
    callers = []
    for number, call in enumerate(calls):
        callers.append(Caller(client, model_key, "x", call))
        wait_in_lane(url, model_key, number + 1)
    with pytest.raises(LaneOverloaded, match="6 requests wait") as raised:
        client.call(model_key, text("x"), {}, call_of("e"))
    assert (raised.value.code, raised.value.waiting, raised.value.wait_s) == ("model_overloaded", 6, None)
    for call in calls:
        call.cancel()


def test_one_tenant_too_many_is_refused_while_others_are_not(
    start_reader: StartReader, open_client: OpenClient, model_key: str, url: str
) -> None:
    client = open_client(SMALL)
    callers = [Caller(client, model_key, "x", call_of("a")) for _ in range(5)]
    wait_in_lane(url, model_key, 5)
    with pytest.raises(LaneOverloaded, match="4 requests of yours"):
        client.call(model_key, text("x"), {}, call_of("a"))
    callers.append(Caller(client, model_key, "x", call_of("b")))
    wait_in_lane(url, model_key, 6)
    start_reader()
    assert [caller.done().error for caller in callers] == [None] * 6


def test_bytes_that_wait_are_bounded_too(open_client: OpenClient, model_key: str, url: str) -> None:
    limits = LaneLimits(waiting_bytes=6900, waiting_bytes_per_tenant=3000)
    client = open_client(limits)
    calls = [call_of(tenant) for tenant in ("a", "a", "b", "c")]
    for number, call in enumerate(calls):
        Caller(client, model_key, "x" * 2000, call)
        wait_in_lane(url, model_key, number + 1)
    with pytest.raises(LaneOverloaded, match="your requests that wait"):
        client.call(model_key, text("x" * 2000), {}, call_of("a"))
    with pytest.raises(LaneOverloaded, match=r"what waits for .* would exceed 6900 bytes"):
        client.call(model_key, text("x" * 2000), {}, call_of("d"))
    for call in calls:
        call.cancel()


def test_a_lane_that_moves_says_how_long_its_wait_is(
    start_reader: StartReader, open_client: OpenClient, model: Model, model_key: str, url: str
) -> None:
    client = open_client(LaneLimits(waiting=8, waiting_per_tenant=8))
    model.gate.clear()
    callers = [Caller(client, model_key, "x", call_of()) for _ in range(8)]
    wait_in_lane(url, model_key, 8)
    start_reader(slots=2)
    eventually(lambda: len(model.asked) == 2, "two run")
    model.gate.set()
    eventually(lambda: len(model.asked) >= 6, "it moves")
    for caller in callers:
        caller.done()
    model.gate.clear()
    callers = [Caller(client, model_key, "x", call_of()) for _ in range(10)]
    wait_in_lane(url, model_key, 8)
    with pytest.raises(LaneOverloaded) as raised:
        client.call(model_key, text("x"), {}, call_of())
    assert raised.value.wait_s is not None
    assert 0 < raised.value.wait_s < TIMEOUT_S
    model.gate.set()


def test_a_client_that_died_leaves_requests_that_expire_and_make_room(
    open_client: OpenClient, start_reader: StartReader, model: Model, model_key: str, url: str
) -> None:
    script = (
        "import sys, os, threading, time\n"
        "from inference.core.calls import Call\n"
        "from inference.core.contracts import TextInput\n"
        "from inference.rpc import LaneClient\n"
        "client = LaneClient(sys.argv[1])\n"
        "ask = lambda: client.call(sys.argv[2], TextInput(('x',), True), {},"
        " Call(tenant='a', deadline_s=time.monotonic() + 1.5))\n"
        "[threading.Thread(target=ask, daemon=True).start() for _ in range(5)]\n"
        "sys.stdin.read()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script, url, model_key], stdin=subprocess.PIPE, cwd=Path.cwd())
    wait_in_lane(url, model_key, 5)
    process.kill()
    process.communicate()
    wait_in_lane(url, model_key, 0)
    caller = Caller(open_client(SMALL), model_key, "new", call_of("a"))
    wait_in_lane(url, model_key, 1)
    start_reader()
    assert caller.done().error is None
    assert model.texts() == ["new"]


def test_a_lane_leaves_no_keys_that_stay(open_client: OpenClient, model_key: str, url: str) -> None:
    calls = [call_of("a"), call_of("b"), call_of("b")]
    client = open_client(SMALL)
    for call in calls:
        Caller(client, model_key, "x" * 1000, call)
    wait_in_lane(url, model_key, 3)
    store = redis.Redis.from_url(url)
    keys = list(store.scan_iter("maas:lane*"))
    assert keys
    assert [key for key in keys if store.pttl(key) < 0] == []
    for call in calls:
        call.cancel()
    wait_in_lane(url, model_key, 0)
