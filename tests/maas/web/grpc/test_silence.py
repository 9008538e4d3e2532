"""Tests of callers who begin calls and send no message, and of others who do send one."""

import asyncio
from contextlib import AsyncExitStack
from uuid import UUID

import grpc
import grpc.aio
import pytest

from tenants.authentication.selectors import effective_limits
from tenants.identity.identity import SCOPES, Identity
from tests.maas.web.grpc.in_process import TIMEOUT_S, Answering, opened_port, until
from tests.waiting import eventually

SILENT = 6
CALLS = 30
"""The number of calls of each silent tenant. Together they are more than there are slots."""


def test_silent_calls_of_many_tenants_keep_no_other_from_being_answered() -> None:
    names = [f"silent{number}" for number in range(SILENT)]
    app = Answering(
        **{
            name: Identity(UUID(int=number), effective_limits(), frozenset(SCOPES))
            for number, name in enumerate(["talking", *names])
        }
    )

    async def scenario() -> None:
        async with opened_port(app) as port, AsyncExitStack() as callers:
            calls = []
            for name in names:
                caller = await callers.enter_async_context(port.caller(name))
                calls += [caller.silent_call() for _ in range(CALLS)]
            entered = f"{SILENT * CALLS} calls have begun"
            await asyncio.to_thread(eventually, lambda: app.entered >= SILENT * CALLS, entered, TIMEOUT_S)
            talking = await callers.enter_async_context(port.caller("talking"))
            for _ in range(3):
                assert await talking.ask(b"5") == bytes(5)
            assert len(await asyncio.gather(*(talking.ask(b"7") for _ in range(20)))) == 20
            refused = [call for call in calls if call.done()]
            assert len(refused) < len(calls) / 2, "who is in nobody's way stays"
            for call in calls:
                call.cancel()
            await until(app, inside=0)

    asyncio.run(scenario())


def test_a_silent_call_that_gives_way_is_told_why() -> None:
    ones = Answering(
        **{str(number): Identity(UUID(int=number), effective_limits(), frozenset(SCOPES)) for number in range(33)}
    )

    async def scenario() -> None:
        async with opened_port(ones) as port, AsyncExitStack() as callers:
            calls = []
            for name in list(ones.identities)[:-1]:
                caller = await callers.enter_async_context(port.caller(name))
                calls.append(caller.silent_call())
                await until(ones, inside=len(calls))
            talking = await callers.enter_async_context(port.caller("32"))
            assert await talking.ask(b"3") == bytes(3)
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await calls[0]
            assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert "not whole after 2 s, while others waited" in str(refused.value.details())
            assert sum(call.done() for call in calls) == 1

    asyncio.run(scenario())
