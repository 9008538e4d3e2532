"""Tests of notifications from Redis to the waiting requests."""

import asyncio
from collections.abc import Awaitable, Callable
from uuid import uuid4

import pytest
import redis
from django.conf import settings
from structlog.testing import capture_logs

from jobs.events.changes import CHANNEL, announce
from jobs.streaming import hub as hub_module
from jobs.streaming.hub import Change, Hub, Watch, parse_change
from tests.chaos.line import Line
from tests.chaos.wires import through, way_to
from tests.waiting import eventually

LONG_S = 20.0


def _with_hub(check: Callable[[Hub], Awaitable[None]]) -> None:
    async def run() -> None:
        hub = Hub(settings.MAAS_REDIS_URL)
        try:
            await check(hub)
        finally:
            hub.close()

    asyncio.run(run())


async def _announced(watch: Watch, say: Callable[[], None]) -> bool:
    """Announce something until it is received, because the listener may still be connecting."""
    heard = asyncio.ensure_future(watch.wait(LONG_S))
    for _ in range(100):
        await asyncio.to_thread(say)
        done, _ = await asyncio.wait([heard], timeout=0.1)
        if done:
            return True
    return False


def test_a_change_wakes_those_who_watch_its_job_or_its_tenant() -> None:
    async def check(hub: Hub) -> None:
        tenant_id, job_id = uuid4(), uuid4()
        for subject in (tenant_id, job_id):
            with hub.watch(subject) as watch:
                assert await _announced(watch, lambda: announce(tenant_id, job_id))

    _with_hub(check)


def test_a_change_wakes_nobody_else() -> None:
    async def check(hub: Hub) -> None:
        job_id = uuid4()
        with hub.watch(job_id) as mine, hub.watch(uuid4()) as other:
            assert await _announced(mine, lambda: announce(uuid4(), job_id))
            await other.wait(0)  # Clears the notification of the connection.
            assert await _announced(mine, lambda: announce(uuid4(), job_id))
            assert not other._changed.is_set()

    _with_hub(check)


def test_who_waits_for_the_end_is_woken_by_nothing_else() -> None:
    async def check(hub: Hub) -> None:
        tenant_id, job_id = uuid4(), uuid4()
        with hub.watch(job_id) as every, hub.watch(job_id, ends_only=True) as end:
            assert await _announced(every, lambda: announce(tenant_id, job_id))
            await end.wait(0)  # Clears the notification of the connection.
            assert await _announced(every, lambda: announce(tenant_id, job_id))
            assert not end._changed.is_set()
            assert await _announced(end, lambda: announce(tenant_id, job_id, ended=True))

    _with_hub(check)


def test_a_listener_that_failed_for_an_unforeseen_reason_listens_again() -> None:
    async def check(hub: Hub) -> None:
        tenant_id, job_id = uuid4(), uuid4()
        client = redis.Redis.from_url(settings.MAAS_REDIS_URL)
        with hub.watch(tenant_id) as watch:
            assert await _announced(watch, lambda: announce(tenant_id, job_id))
            client.publish(CHANNEL, "[" * 100_000)  # Deeper than the parser goes, which is no ValueError.
            await watch.wait(LONG_S)  # Connected again.
            assert await _announced(watch, lambda: announce(tenant_id, job_id))

    _with_hub(check)


def test_many_changes_are_one_to_a_slow_reader() -> None:
    async def check(hub: Hub) -> None:
        watch = Watch()
        for _ in range(1000):
            watch.wake()
        await watch.wait(LONG_S)
        assert not watch._changed.is_set()

    _with_hub(check)


def test_who_waits_is_woken_after_the_connection_was_lost_and_found() -> None:
    async def check(hub: Hub) -> None:
        with hub.watch(uuid4()) as watch:
            await watch.wait(LONG_S)  # Connected.
            client = redis.Redis.from_url(settings.MAAS_REDIS_URL)
            client.client_kill_filter(_type="pubsub")
            await asyncio.wait_for(watch.wait(LONG_S), LONG_S / 2)

    _with_hub(check)


def test_who_waits_is_woken_after_a_connection_that_swallows_everything_was_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hub_module, "PING_S", 0.3)

    async def run() -> None:
        line = Line(way_to(settings.MAAS_REDIS_URL))
        await line.open()
        hub = Hub(through(settings.MAAS_REDIS_URL, line.port))
        tenant_id, job_id = uuid4(), uuid4()
        with hub.watch(job_id) as watch:
            assert await _announced(watch, lambda: announce(tenant_id, job_id))
            while await watch.wait(1):
                pass
            line.stall()
            with capture_logs() as lines:
                await asyncio.to_thread(
                    eventually, lambda: "change_listener_disconnected" in str(lines), "that it is given up"
                )
            await line.mend()
            assert await watch.wait(LONG_S)  # Another connection was made, and everybody looks for themselves.
        hub.close()
        line.close()

    asyncio.run(run())


def test_closing_wakes_everybody() -> None:
    async def check(hub: Hub) -> None:
        with hub.watch(uuid4()) as watch:
            waiting = asyncio.ensure_future(watch.wait(LONG_S))
            await asyncio.sleep(0)
            hub.close()
            await asyncio.wait_for(waiting, 1)

    _with_hub(check)


@pytest.mark.parametrize(
    "payload", [b"", b"[]", b"{}", b'{"tenant": 1, "job": 2}', b'{"tenant": "x", "job": "y"}', b"\xff"]
)
def test_nonsense_on_the_channel_is_ignored(payload: bytes) -> None:
    assert parse_change(payload) is None


def test_a_change_is_read() -> None:
    tenant_id, job_id = uuid4(), uuid4()
    assert parse_change(f'{{"tenant": "{tenant_id}", "job": "{job_id}"}}') == Change(tenant_id, job_id)
    assert CHANNEL == "maas:changes"
