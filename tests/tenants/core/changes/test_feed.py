"""Tests of what a process may take for true, depending on what it could read of the changes."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from django.db import connections

from tenants.accounts.models import Tenant
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.changes.feed import LONGEST_GAP_S, TRUSTED_S, ChangeFeed
from tenants.core.changes.log import Change
from tenants.core.db.unit_of_work import operator_work
from tenants.core.errors import DatabaseUnavailable
from tenants.onboarding.create_tenant import CreatedTenant
from tests.tenants.core.asgi.in_loop import in_loop


@dataclass
class Clock:
    now_s: float = 1_000.0

    def __call__(self) -> float:
        return self.now_s


class Feed:
    def __init__(self) -> None:
        self.clock = Clock()
        self.heard: list[Change] = []
        self.feed = ChangeFeed(DatabaseThreads("test", 1), clock=self.clock)
        self.feed.listen(self._hear)

    def _hear(self, changes: Sequence[Change]) -> None:
        self.heard += changes

    async def read_after(self, seconds: float) -> None:
        self.clock.now_s += seconds
        try:
            await self.feed.read()
        except DatabaseUnavailable:  # An earlier test may have cut the connections of this process.
            await self.feed.read()


async def set_limit(tenant: CreatedTenant) -> Change:
    await asyncio.to_thread(_set_limit, tenant)
    return Change("tenant", str(tenant.tenant.id))


def _set_limit(tenant: CreatedTenant) -> None:
    try:
        with operator_work():
            Tenant.objects.filter(id=tenant.tenant.id).update(requests_per_minute=7)
    finally:
        connections.close_all()


@in_loop
async def test_nothing_is_covered_before_the_first_reading() -> None:
    feed = Feed()
    assert not feed.feed.covers(feed.clock.now_s)
    requested_s = feed.clock.now_s
    await feed.read_after(0.1)
    assert not feed.feed.covers(requested_s)
    assert feed.feed.covers(feed.clock.now_s)


@in_loop
async def test_what_was_read_is_trusted_for_less_than_a_second() -> None:
    feed = Feed()
    await feed.read_after(0)
    requested_s = feed.clock.now_s
    await feed.read_after(30)
    assert feed.feed.covers(requested_s)
    feed.clock.now_s += TRUSTED_S
    assert not feed.feed.covers(requested_s)
    await feed.read_after(5)
    assert feed.feed.covers(requested_s)


@pytest.mark.parametrize(("gap_s", "heard"), [(LONGEST_GAP_S - 1, True), (LONGEST_GAP_S + 1, False)])
def test_after_a_gap_all_is_looked_up_again(tenant: CreatedTenant, gap_s: float, heard: bool) -> None:
    @in_loop
    async def run() -> None:
        feed = Feed()
        await feed.read_after(0)
        requested_s = feed.clock.now_s
        change = await set_limit(tenant)
        await feed.read_after(gap_s)
        assert (change in feed.heard) is heard
        assert feed.feed.covers(requested_s) is heard
        assert feed.feed.covers(feed.clock.now_s)

    run()


def test_a_change_is_passed_on_once(tenant: CreatedTenant) -> None:
    @in_loop
    async def run() -> None:
        feed = Feed()
        await feed.read_after(0)
        change = await set_limit(tenant)
        await feed.read_after(0.4)
        await feed.read_after(0.4)
        assert feed.heard.count(change) == 1

    run()
