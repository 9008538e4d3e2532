"""Tests of streams that bring nothing, of streams that take nothing, and of streams whose key is no longer valid."""

import asyncio
from typing import Any

import grpc
import grpc.aio
import pytest

from maas.web.grpc.streams import StreamSlots
from tenants.api_keys.services import revoke_key
from tenants.authentication.selectors import identify_key
from tenants.core.asgi.threads import Overloaded
from tenants.core.db.unit_of_work import unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.web.grpc.in_process import Answering, Caller, opened_port, until

LARGE = 2 << 20
"""A size in bytes that no connection accepts if nobody reads from it."""


@pytest.fixture
def app(tenant: CreatedTenant) -> Answering:
    return Answering(mine=identify_key(tenant.key.text))


async def end_of(stream: grpc.aio.StreamStreamCall) -> tuple[grpc.StatusCode, str]:
    async def read_on() -> None:
        while await stream.read() is not grpc.aio.EOF:
            pass

    with pytest.raises(grpc.aio.AioRpcError) as ended:
        await read_on()
    return ended.value.code(), str(ended.value.details())


def test_a_stream_that_brings_nothing_ends_with_words(app: Answering) -> None:
    async def scenario() -> None:
        async with opened_port(app, stream_idle_s=2) as port, port.caller("mine") as caller:
            stream = caller.stream()
            await stream.write(b"1")
            assert await stream.read() is not grpc.aio.EOF
            code, words = await end_of(stream)
            assert (code, words) == (
                grpc.StatusCode.DEADLINE_EXCEEDED,
                "No message came for 2 s. Open a stream when there is one.",
            )

    asyncio.run(scenario())


def test_a_silent_stream_ends_with_its_key(app: Answering, tenant: CreatedTenant) -> None:
    def revoke() -> None:
        with unit_of_work(tenant.tenant.id):
            assert revoke_key(key_id=tenant.key.key.id)

    async def scenario() -> None:
        async with opened_port(app) as port, port.caller("mine") as caller:
            stream = caller.stream()
            await stream.write(b"1")
            assert await stream.read() is not grpc.aio.EOF
            await asyncio.to_thread(revoke)
            code, words = await end_of(stream)
            assert code is grpc.StatusCode.UNAUTHENTICATED
            assert "was revoked" in words

    asyncio.run(scenario())


def test_answers_that_nobody_takes_are_held_in_front_until_they_are_written(app: Answering) -> None:
    async def scenario() -> None:
        async with opened_port(app) as port, port.caller("mine") as caller:
            stream = caller.stream()
            for _ in range(12):
                await asyncio.wait_for(stream.write(b"%d" % LARGE), 10)
            await until(app, inside=8)
            assert [len(await _read(stream)) >= LARGE for _ in range(12)] == [True] * 12
            await stream.done_writing()
            assert await stream.read() is grpc.aio.EOF
            await until(app, inside=0)

    asyncio.run(scenario())


async def _read(stream: Any) -> bytes:
    answer = await stream.read()
    assert isinstance(answer, bytes)
    return answer


def test_a_stream_that_is_left_lets_go_of_what_waits(app: Answering) -> None:
    async def scenario() -> None:
        async with opened_port(app) as port:
            async with port.caller("mine") as caller:
                await _fill(caller)
                await until(app, inside=8)
            await until(app, inside=0)

    asyncio.run(scenario())


async def _fill(caller: Caller) -> None:
    stream = caller.stream()
    for _ in range(12):
        await stream.write(b"%d" % LARGE)


def test_streams_are_refused_beyond_their_number() -> None:
    seats = StreamSlots(most=3, max_of_one=2, for_first=0)
    with seats.slot("a"), seats.slot("a"):
        with pytest.raises(Overloaded, match="2 streams"), seats.slot("a"):
            pass
        with seats.slot("b"), pytest.raises(Overloaded, match="Too many"), seats.slot("c"):
            pass
    with seats.slot("a"):
        pass
    assert not seats._taken


def test_the_last_streams_are_for_tenants_who_have_none() -> None:
    seats = StreamSlots(most=3, max_of_one=3, for_first=1)
    with seats.slot("a"), seats.slot("a"):
        with pytest.raises(Overloaded, match="Too many"), seats.slot("a"):
            pass
        with seats.slot("b"):
            pass
