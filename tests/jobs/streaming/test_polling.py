"""Test that the rounds find the changes of which no notification came."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from django.conf import settings

from jobs.events import log as events
from jobs.streaming.hub import Hub
from jobs.streaming.polling import Rounds, pause_s
from tenants.core.asgi.threads import DatabaseThreads
from tests.jobs.conftest import Desk
from tests.jobs.streaming.conftest import append


def _run(check: Callable[[Hub, Rounds], Awaitable[None]]) -> None:
    async def run() -> None:
        hub, threads = Hub(settings.MAAS_REDIS_URL), DatabaseThreads("rounds", 1)
        try:
            await check(hub, Rounds(hub, threads))
        finally:
            hub.close()
            threads.close()

    asyncio.run(run())


@pytest.fixture
def unheard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lose all notifications, as if a process died between its commit and its notification."""
    monkeypatch.setattr(events, "announce", lambda *_, **__: None)


@pytest.mark.usefixtures("unheard")
def test_those_and_only_those_whose_hint_was_lost_are_woken(desk: Desk) -> None:
    moved, still = desk.submit(), desk.submit()
    (page,) = desk.pages(moved)

    async def check(hub: Hub, rounds: Rounds) -> None:
        hub.start = lambda: None  # type: ignore[method-assign]  # Its first connection would notify everybody.
        tenant_id = moved.tenant_id
        with (
            hub.watch(moved.id, tenant_id=tenant_id) as moving,
            hub.watch(still.id, tenant_id=tenant_id) as standing,
            hub.watch(moved.id, tenant_id=tenant_id, ends_only=True) as waiting,
            hub.watch(tenant_id, tenant_id=tenant_id) as all_of_it,
        ):
            moving.seen = standing.seen = 1
            await rounds.go()
            assert await all_of_it.wait(0)  # At the first round nobody knows what it has seen.
            assert not await moving.wait(0)
            await asyncio.to_thread(append, moved, "page.running")
            await rounds.go()
            assert await moving.wait(0)
            assert await all_of_it.wait(0)
            assert not await waiting.wait(0)
            assert not await standing.wait(0)
            await asyncio.to_thread(desk.finish, page)
            await rounds.go()
            assert await waiting.wait(0)
            assert not await standing.wait(0)

    _run(check)


@pytest.mark.parametrize(("took_s", "pauses_s"), [(0.0, 5.0), (2.0, 3.0), (4.9, 0.5), (30.0, 0.5), (-1.0, 5.0)])
def test_a_round_begins_every_five_seconds_however_long_the_last_one_took(took_s: float, pauses_s: float) -> None:
    assert pause_s(took_s) == pauses_s
