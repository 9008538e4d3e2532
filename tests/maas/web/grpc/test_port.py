"""Tests of a real web process with callers who disconnect, send false data or flood it."""

import asyncio
import gzip
import signal
import socket
import threading
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import grpc
import grpc.aio
import httpx
import psutil  # type: ignore[import-untyped]
import pytest
from tritonclient.grpc import service_pb2

from inference.gateway.gateway import GRPC_PREFIX
from maas.local.supervisor.ports import free_port
from tenants.accounts.models import Tenant
from tenants.billing.metering.events import read_event
from tenants.billing.metering.keys import FIELD, STREAM
from tenants.billing.metering.roll_up import Backlog, durable_redis
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.request_log.store import recent_requests
from tests.maas.granian_server import GranianServer
from tests.maas.web.grpc.asking import MAX_BYTES, TIMEOUT_S, Caller, asked
from tests.maas.web.grpc.conftest import HoldingModel
from tests.waiting import eventually

Status = grpc.StatusCode


def refusal_of(call: Any) -> tuple[grpc.StatusCode, str, dict[str, str]]:
    with pytest.raises(grpc.RpcError) as refused:
        call()
    error: Any = refused.value
    return error.code(), error.details(), dict(error.trailing_metadata() or ())


def uses_of(tenant_id: UUID) -> int:
    entries = (entry for batch in Backlog(durable_redis(), STREAM).batches() for entry in batch)
    return sum(read_event(entry.fields[FIELD]).tenant_id == tenant_id for entry in entries)


def test_a_wrong_key_is_refused_before_a_message_is_asked_for(caller: Caller) -> None:
    ended = threading.Event()

    def never() -> Iterator[bytes]:
        ended.wait(TIMEOUT_S)
        yield from ()

    infer = caller.channel.stream_unary(f"{GRPC_PREFIX}ModelInfer")
    metadata = (("authorization", "Bearer maas_live_wrong"), ("x-request-id", "mine-1"))
    code, words, notes = refusal_of(lambda: infer(never(), metadata=metadata, timeout=TIMEOUT_S))
    ended.set()
    assert code is Status.UNAUTHENTICATED
    assert "not an API key" in words
    assert (notes["maas-error-code"], notes["x-request-id"]) == ("invalid_api_key", "mine-1")


def test_a_call_is_answered_metered_and_told_once(caller: Caller, holding: HoldingModel, tenant: CreatedTenant) -> None:
    answer = caller.infer(holding.name, "a", "b")
    assert list(answer.outputs[0].shape) == [2, 2]
    assert uses_of(tenant.tenant.id) == 1
    entry = eventually(lambda: recent_requests(tenant.tenant.id), "the journal's entry")[0]
    assert (entry.path, entry.status) == (f"{GRPC_PREFIX}ModelInfer", 200)


def test_limits_hold_for_calls_and_for_messages_of_a_stream(
    caller: Caller, holding: HoldingModel, tenant: CreatedTenant
) -> None:
    with operator_work():
        Tenant.objects.filter(id=tenant.tenant.id).update(requests_per_minute=3)
    messages = iter([asked(holding.name, "a")] * 3)
    answers = list(caller.stub.ModelStreamInfer(messages, metadata=caller.metadata))
    refused = ["requests a minute" in answer.error_message for answer in answers]
    assert refused == [False, False, True], [answer.error_message for answer in answers]
    code, words, notes = refusal_of(lambda: caller.infer(holding.name, "a"))
    assert (code, notes["maas-error-code"]) == (Status.RESOURCE_EXHAUSTED, "rate_limited"), words
    assert int(notes["retry-after"]) > 0
    assert "ratelimit" in notes


def test_calls_at_once_are_counted(caller: Caller, holding: HoldingModel, tenant: CreatedTenant) -> None:
    with operator_work():
        Tenant.objects.filter(id=tenant.tenant.id).update(calls_at_once=1)
    call = caller.start(holding.name, "hold")
    assert holding.holds.acquire(timeout=TIMEOUT_S)
    assert refusal_of(lambda: caller.infer(holding.name, "a"))[0] is Status.RESOURCE_EXHAUSTED
    call.cancel()

    def is_free() -> bool:
        try:
            return bool(caller.infer(holding.name, "a"))
        except grpc.RpcError:
            return False

    eventually(is_free, "the place of the call that was left")


def test_a_message_over_the_limit_is_refused(caller: Caller, raw_infer: Any) -> None:
    large = bytes(MAX_BYTES + 1)
    code, words, _ = refusal_of(lambda: raw_infer(large, metadata=caller.metadata, timeout=TIMEOUT_S))
    assert code is Status.RESOURCE_EXHAUSTED
    assert str(MAX_BYTES) in words


def web_bytes(server: GranianServer) -> int:
    processes = [psutil.Process(server.process.pid)]
    processes += processes[0].children(recursive=True)
    return int(max(process.memory_info().rss for process in processes))


def test_a_compressed_message_is_let_out_no_further_than_the_limit(
    caller: Caller, raw_infer: Any, grpc_server: tuple[GranianServer, int]
) -> None:
    before = web_bytes(grpc_server[0])
    ask = raw_infer.future(
        bytes(200 << 20), metadata=caller.metadata, timeout=TIMEOUT_S, compression=grpc.Compression.Gzip
    )
    most = 0
    while not ask.done():
        most = max(most, web_bytes(grpc_server[0]))
    assert ask.code() is Status.RESOURCE_EXHAUSTED
    assert most - before < 100 << 20
    assert 20 * len(gzip.compress(bytes(10 << 20), 6)) < MAX_BYTES, "what travels is within the limit"


def test_many_small_parts_are_refused_before_they_are_read(caller: Caller, raw_infer: Any) -> None:
    parts = b"\x2a\x00" * (MAX_BYTES // 2 - 1)
    code, words, _ = refusal_of(lambda: raw_infer(parts, metadata=caller.metadata, timeout=TIMEOUT_S))
    assert (code, "more than 300 fields" in words) == (Status.INVALID_ARGUMENT, True)


@pytest.mark.parametrize("written", [b"\xff" * 40, b"\x0a\xff", b"\x0b", b"\x2a\x03\x0a\x09x", b"\x0a\x02\xff\xfe"])
def test_what_is_no_message_is_refused(caller: Caller, raw_infer: Any, written: bytes) -> None:
    code, words, _ = refusal_of(lambda: raw_infer(written, metadata=caller.metadata, timeout=TIMEOUT_S))
    assert (code, "cannot be read" in words) == (Status.INVALID_ARGUMENT, True)


@pytest.mark.parametrize("how", ["deadline", "cancel", "hang-up"])
def test_whoever_leaves_ends_the_work_and_pays_nothing(
    caller: Caller, holding: HoldingModel, tenant: CreatedTenant, how: str
) -> None:
    call = caller.start(holding.name, "hold", timeout=3 if how == "deadline" else TIMEOUT_S)
    assert holding.holds.acquire(timeout=TIMEOUT_S)
    if how == "cancel":
        call.cancel()
    elif how == "hang-up":
        caller.channel.close()
    assert holding.left.acquire(timeout=TIMEOUT_S), "the model is told"
    assert uses_of(tenant.tenant.id) == 0
    if how == "deadline":
        assert call.code() is Status.DEADLINE_EXCEEDED


def test_a_stream_that_is_left_ends_all_its_work(caller: Caller, holding: HoldingModel) -> None:
    ended = threading.Event()

    def messages() -> Iterator[Any]:
        for _ in range(3):
            yield asked(holding.name, "hold")
        ended.wait(TIMEOUT_S)

    stream = caller.stub.ModelStreamInfer(messages(), metadata=caller.metadata)
    for _ in range(3):
        assert holding.holds.acquire(timeout=TIMEOUT_S)
    stream.cancel()
    ended.set()
    for _ in range(3):
        assert holding.left.acquire(timeout=TIMEOUT_S)


def test_streams_of_one_tenant_are_bounded_and_their_places_come_back(caller: Caller, holding: HoldingModel) -> None:
    ended = threading.Event()

    def one_message() -> Iterator[Any]:
        yield asked(holding.name, "a")
        ended.wait(TIMEOUT_S)

    streams = [caller.stub.ModelStreamInfer(one_message(), metadata=caller.metadata) for _ in range(16)]
    for stream in streams:
        assert not next(stream).error_message
    code, words, notes = refusal_of(lambda: next(caller.stub.ModelStreamInfer(one_message(), metadata=caller.metadata)))
    assert (code, "16 streams open" in words, notes["retry-after"]) == (Status.UNAVAILABLE, True, "5")
    ended.set()
    for stream in streams:
        assert not list(stream)
    ended.clear()

    def is_open() -> bool:
        try:
            return bool(next(caller.stub.ModelStreamInfer(iter([asked(holding.name, "a")]), metadata=caller.metadata)))
        except grpc.RpcError:
            return False

    eventually(is_open, "a place for a stream")


def test_many_callers_on_connections_of_their_own(
    grpc_server: tuple[GranianServer, int], holding: HoldingModel, tenant: CreatedTenant
) -> None:
    request = asked(holding.name, "a").SerializeToString()

    async def ask() -> bytes:
        options = [("grpc.use_local_subchannel_pool", 1)]
        async with grpc.aio.insecure_channel(f"127.0.0.1:{grpc_server[1]}", options=options) as channel:
            infer = channel.unary_unary(f"{GRPC_PREFIX}ModelInfer")
            answer: bytes = await infer(
                request, metadata=(("authorization", f"Bearer {tenant.key.text}"),), timeout=TIMEOUT_S
            )
            return answer

    async def scenario() -> list[bytes]:
        return await asyncio.gather(*(ask() for _ in range(60)))

    assert len(asyncio.run(scenario())) == 60
    assert uses_of(tenant.tenant.id) == 60


def test_a_process_that_stops_lets_go_of_calls_and_streams(holding: HoldingModel, tenant: CreatedTenant) -> None:
    port = free_port()
    with (
        GranianServer("maas.asgi:application", {"MAAS_GRPC_PORT": str(port)}) as server,
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        caller = Caller(channel, tenant.key.text)
        ended = threading.Event()

        def messages() -> Iterator[Any]:
            yield asked(holding.name, "a")
            ended.wait(TIMEOUT_S)

        stream = caller.stub.ModelStreamInfer(messages(), metadata=caller.metadata)
        assert not next(stream).error_message
        call = caller.start(holding.name, "hold")
        assert holding.holds.acquire(timeout=TIMEOUT_S)
        server.process.send_signal(signal.SIGTERM)
        assert call.code() is Status.UNAVAILABLE
        assert "restarted" in call.details()
        code, words, notes = refusal_of(lambda: next(stream))
        assert (code, notes["maas-error-code"]) == (Status.UNAVAILABLE, "restarting"), words
        ended.set()
        assert server.process.wait(15) is not None


def test_a_process_that_drains_is_alive_and_not_ready_by_either_way(tenant: CreatedTenant) -> None:
    port = free_port()
    variables = {"MAAS_GRPC_PORT": str(port), "MAAS_DRAIN_S": "60"}
    with (
        GranianServer("maas.asgi:application", variables) as server,
        grpc.insecure_channel(f"127.0.0.1:{port}") as channel,
        httpx.Client(base_url=server.url) as http,
    ):
        stub = Caller(channel, tenant.key.text).stub

        def answers() -> tuple[int, bool]:
            ready = stub.ServerReady(service_pb2.ServerReadyRequest()).ready
            return http.get("/v2/health/ready").status_code, ready

        assert answers() == (200, True)
        server.process.send_signal(signal.SIGTERM)
        eventually(lambda: answers() == (503, False), "the word that it drains")
        assert http.get("/v2/health/live").status_code == 200
        assert stub.ServerLive(service_pb2.ServerLiveRequest()).live
        server.process.send_signal(signal.SIGTERM)


def test_one_port_for_both_ends_the_process_with_a_reason() -> None:
    port = str(free_port())
    with pytest.raises(AssertionError, match=f"MAAS_GRPC_PORT={port} is MAAS_PORT"):
        GranianServer("maas.asgi:application", {"MAAS_GRPC_PORT": port, "MAAS_PORT": port}).__enter__()


def test_a_port_that_is_taken_ends_the_process_with_a_reason() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with pytest.raises(AssertionError, match=port):
            GranianServer("maas.asgi:application", {"MAAS_GRPC_PORT": port}).__enter__()
