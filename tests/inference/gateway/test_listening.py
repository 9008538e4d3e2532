"""Test that a call ends when its caller leaves, and not otherwise."""

import asyncio
import gc
import weakref

import pytest

from inference.core.errors import DeadlinePassed
from inference.gateway.listening import ListenedCall
from tenants.core.asgi.protocol import ClientGone, Message
from tenants.core.asgi.stopping import Restarting, Stop


class Caller:
    def __init__(self) -> None:
        self.gone = asyncio.Event()

    async def receive(self) -> Message:
        await self.gone.wait()
        return {"type": "http.disconnect"}


def test_who_hangs_up_ends_the_call() -> None:
    async def scenario() -> None:
        caller = Caller()
        asyncio.get_running_loop().call_later(0.02, caller.gone.set)
        with pytest.raises(ClientGone):
            async with ListenedCall(caller.receive, Stop(), deadline_s=5) as call:
                await asyncio.sleep(5)
        assert call.canceled

    asyncio.run(scenario())


def test_who_hangs_up_in_the_moment_of_the_answer_ends_nothing_that_comes_after() -> None:
    async def scenario() -> None:
        caller = Caller()
        async with ListenedCall(caller.receive, Stop(), deadline_s=5):
            await asyncio.sleep(0)
            caller.gone.set()
            await asyncio.sleep(0)  # It is known now that he is gone, and nobody has been told yet.
        await asyncio.sleep(0.01)  # What is done with the answer.

    asyncio.run(scenario())


def test_its_time_and_the_process_end_it_too() -> None:
    async def scenario() -> None:
        with pytest.raises(DeadlinePassed):
            async with ListenedCall(Caller().receive, Stop(), deadline_s=0.02):
                await asyncio.sleep(5)
        stop = Stop()
        asyncio.get_running_loop().call_later(0.02, stop.tell)
        with pytest.raises(Restarting):
            async with ListenedCall(Caller().receive, stop, deadline_s=5):
                await asyncio.sleep(5)

    asyncio.run(scenario())


def test_a_call_whose_time_is_over_holds_nothing_of_its_caller() -> None:
    """The request's data may be large, and the garbage collector runs seldom."""

    class Body:
        pass

    async def call() -> "weakref.ref[Body]":
        body = Body()
        with pytest.raises(DeadlinePassed):
            async with ListenedCall(Caller().receive, Stop(), deadline_s=0.01):
                await asyncio.Event().wait()
        return weakref.ref(body)

    gc.collect()
    gc.disable()
    try:
        assert asyncio.run(call())() is None
    finally:
        gc.enable()
