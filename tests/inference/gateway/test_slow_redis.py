"""Test calls to a real web process while one of its Redis servers answers late."""

import asyncio
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest
from django.conf import settings

from tenants.billing.metering.roll_up import roll_up_uses
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.inference.gateway.house import Embedder
from tests.inference.rpc.mortal import MortalRedis
from tests.inference.rpc.slow_wire import SlowWire
from tests.maas.granian_server import GranianServer
from tests.waiting import eventually

CALLERS, ROUNDS = 8, 6
WAITS_S = 0.04
"""The time for which a call waits for the cache."""
SLOW_MACHINE_S = 0.1
"""The tolerance for other delays between two medians. It is still far less than an answer of the slow Redis takes."""


@dataclass(frozen=True)
class Load:
    statuses: set[int]
    words: list[str]
    p50_s: float


@pytest.fixture
def cache(mortal: MortalRedis) -> Iterator[SlowWire]:
    with SlowWire(mortal.url) as wire:
        yield wire


@pytest.fixture
def server(cache: SlowWire) -> Iterator[GranianServer]:
    """Run a server that gets every cached result from the cache Redis."""
    variables = {"MAAS_CACHE_URL": cache.url, "MAAS_CACHE_MEMORY_BYTES": "0"}
    with GranianServer("maas.asgi:application", variables) as server:
        yield server


def load(server: GranianServer, tenant: CreatedTenant, model: str, texts: list[str]) -> Load:
    """Run callers at the same time. Each sends one request after another, and all of them send the same texts, each in
    a different order.
    """
    found: list[tuple[float, httpx.Response]] = []

    async def call(client: httpx.AsyncClient, number: int) -> None:
        for turn in range(ROUNDS):
            text = texts[(number + turn) % len(texts)]
            began_s = time.monotonic()
            answer = await client.post("/v1/embeddings", json={"model": model, "input": text})
            found.append((time.monotonic() - began_s, answer))

    async def all_call() -> None:
        key = {"Authorization": f"Bearer {tenant.key.text}"}
        async with httpx.AsyncClient(base_url=server.url, headers=key, timeout=60, verify=False) as client:
            await asyncio.gather(*(call(client, number) for number in range(CALLERS)))

    asyncio.run(all_call())
    return Load(
        {answer.status_code for _, answer in found},
        [answer.headers["x-cache"] for _, answer in found],
        statistics.median(took_s for took_s, _ in found),
    )


def known_texts(server: GranianServer, tenant: CreatedTenant, model: str) -> list[str]:
    texts = [unique("known") for _ in range(4)]
    eventually(lambda: set(load(server, tenant, model, texts).words) == {"HIT"}, "all of it is known")
    return texts


def said(server: GranianServer, what: str) -> int:
    return server.log_path.read_text().count(what)


@pytest.mark.parametrize("delay_s", [0.2, pytest.param(2.0, marks=pytest.mark.long)])
def test_a_cache_that_becomes_slow_fails_no_call_is_left_alone_and_comes_back(
    server: GranianServer, cache: SlowWire, tenant: CreatedTenant, model: str, delay_s: float
) -> None:
    texts = known_texts(server, tenant, model)
    fresh = [unique("new") for _ in range(CALLERS * ROUNDS)]
    quick = load(server, tenant, model, fresh)
    before = said(server, "result_cache_unavailable")
    cache.delay_s = delay_s
    first = load(server, tenant, model, texts)
    eventually(lambda: said(server, "result_cache_unavailable"), "the cache is left alone")
    slow = load(server, tenant, model, texts)
    assert first.statuses == slow.statuses == {200}
    assert set(first.words) | set(slow.words) <= {"MISS", "COALESCED", "HIT"}
    assert "HIT" not in slow.words
    assert max(first.p50_s, slow.p50_s) - quick.p50_s < WAITS_S + SLOW_MACHINE_S
    # A busy machine may be late as well, but that is before or after.
    assert said(server, "result_cache_unavailable") <= before + 1
    cache.delay_s = 0.0
    eventually(lambda: set(load(server, tenant, model, texts).words) == {"HIT"}, "hits are back")


def test_calls_are_answered_and_paid_for_once_while_the_durable_redis_is_late(
    tenant: CreatedTenant, model: str, embedder: Embedder
) -> None:
    with (
        SlowWire(settings.MAAS_REDIS_URL) as durable,
        GranianServer("maas.asgi:application", {"MAAS_REDIS_URL": durable.url}) as server,
    ):
        texts = [unique("text") for _ in range(CALLERS)]
        load(server, tenant, model, texts)
        durable.delay_s = 0.1
        later = load(server, tenant, model, [unique("text") for _ in range(CALLERS * ROUNDS)])
    assert later.statuses == {200}
    roll_up_uses()
    with unit_of_work(tenant.tenant.id):
        assert UsageRecord.objects.count() == 2 * CALLERS * ROUNDS
