import asyncio
import threading

import pytest

from maas.edge_mode.runs import CallSlots
from tenants.core.asgi.threads import Overloaded

TIMEOUT_S = 20


def test_calls_beyond_the_places_are_refused_at_once() -> None:
    async def run() -> None:
        places = CallSlots(1)
        async with places.take(), places.take(), places.take():
            with pytest.raises(Overloaded) as refusal:
                async with places.take():
                    pass
            assert refusal.value.extra == {"gate": "edge_calls", "retry_after_s": 1}
        async with places.take():
            pass

    asyncio.run(run())


def test_place_counts_until_the_threads_of_a_caller_who_left_are_done() -> None:
    async def run() -> None:
        places, release, begun = CallSlots(1), threading.Event(), threading.Event()

        def work() -> None:
            begun.set()
            release.wait(TIMEOUT_S)

        with pytest.raises(TimeoutError):
            async with places.take() as place, asyncio.timeout(0.2):
                await place.run(work)
        assert begun.is_set()
        empty = asyncio.ensure_future(places.wait_until_empty())
        await asyncio.sleep(0)
        assert not empty.done()
        release.set()
        await asyncio.wait_for(empty, TIMEOUT_S)

    asyncio.run(run())


def test_work_that_has_not_begun_is_never_begun_for_a_caller_who_left() -> None:
    async def run() -> None:
        places, release = CallSlots(1), threading.Event()
        begun: list[str] = []
        async with places.take() as first:
            busy = asyncio.ensure_future(first.run(release.wait, TIMEOUT_S))
            await asyncio.sleep(0)
            with pytest.raises(TimeoutError):
                async with places.take() as second, asyncio.timeout(0.1):
                    await second.run(begun.append, "second")
            release.set()
            await busy
            await first.run(begun.append, "first")
        assert begun == ["first"]

    asyncio.run(run())
