import asyncio

import pytest

from maas.grpc_port.seats import ReadingSeats, StreamSeats
from tenants.asgi.threads import Overloaded


def test_readers_of_one_tenant_wait_for_each_other_and_for_nobody_else() -> None:
    async def scenario() -> None:
        seats = ReadingSeats(most=3, most_of_one=1)
        reading: list[str] = []
        go_on = asyncio.Event()

        async def read(tenant: str) -> None:
            async with seats.one(tenant):
                reading.append(tenant)
                await go_on.wait()

        async with asyncio.TaskGroup() as tasks:
            for tenant in "aaab":
                tasks.create_task(read(tenant))
            for _ in range(5):
                await asyncio.sleep(0)
            assert reading == ["a", "b"]
            go_on.set()
        assert reading == ["a", "b", "a", "a"]
        assert not seats._own, "who reads no more is forgotten"

    asyncio.run(scenario())


def test_streams_are_refused_beyond_their_number() -> None:
    seats = StreamSeats(most=3, most_of_one=2)
    with seats.one("a"), seats.one("a"):
        with pytest.raises(Overloaded, match="2 streams"), seats.one("a"):
            pass
        with seats.one("b"), pytest.raises(Overloaded, match="Too many"), seats.one("c"):
            pass
    with seats.one("a"):
        pass
    assert not seats._taken
