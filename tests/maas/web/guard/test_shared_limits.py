"""Tests of one limit at two real web processes with many requests at once: with Redis in time, and with Redis late."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager

import httpx
import pytest
from django.conf import settings

from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import operator_work
from tenants.onboarding.create_tenant import CreatedTenant, create_tenant
from tests.fixtures import unique
from tests.inference.rpc.slow_wire import SlowWire
from tests.maas.granian_server import GranianServer

CALLERS, LIMIT = 80, 20
TRIES = 10


def limited_tenant() -> CreatedTenant:
    tenant = create_tenant(name=unique("tenant"), email=f"{unique('owner')}@example.com", password="correct horse")
    with operator_work():
        Tenant.objects.filter(id=tenant.tenant.id).update(requests_per_minute=LIMIT)
    return tenant


@contextmanager
def two_servers(**variables: str) -> Iterator[list[GranianServer]]:
    with ExitStack() as stack:
        yield [stack.enter_context(GranianServer("maas.asgi:application", variables)) for _ in range(2)]


def let_through(servers: Sequence[GranianServer], tenant: CreatedTenant) -> tuple[int, int]:
    """Send requests at once, spread over the processes. Return how many passed, and how many more became allowed
    meanwhile.
    """

    async def ask(client: httpx.AsyncClient) -> int:
        return (await client.get("/v1/models")).status_code

    async def ask_all() -> list[int]:
        async with AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(_client(server, tenant)) for server in servers]
            return await asyncio.gather(*(ask(clients[n % len(clients)]) for n in range(CALLERS)))

    began_s = time.monotonic()
    statuses = asyncio.run(ask_all())
    assert set(statuses) == {200, 429}
    return statuses.count(200), int((time.monotonic() - began_s) * LIMIT / 60) + 1


def _client(server: GranianServer, tenant: CreatedTenant) -> httpx.AsyncClient:
    key = {"Authorization": f"Bearer {tenant.key.text}"}
    none = httpx.Limits(max_connections=None)
    return httpx.AsyncClient(base_url=server.url, headers=key, timeout=60, limits=none, verify=False)


def times_alone(servers: Sequence[GranianServer]) -> int:
    """How often one of them went on without Redis, as it was not answered in time."""
    return sum(server.log_path.read_text().count("limits_redis_unavailable") for server in servers)


def test_two_processes_let_exactly_the_limit_through_of_many_at_once(
    two_webs: tuple[GranianServer, GranianServer],
) -> None:
    """Each process applies the limit alone if Redis did not answer for 45 ms, as on a machine with too much to do."""
    for _ in range(TRIES):
        tenant, alone = limited_tenant(), times_alone(two_webs)
        passed, came_in = let_through(two_webs, tenant)
        assert passed <= 2 * (LIMIT + came_in)
        if times_alone(two_webs) == alone:
            assert LIMIT <= passed <= LIMIT + came_in
            return
    pytest.fail(f"Redis was too slow {TRIES} times for this to tell anything")


@pytest.mark.long  # limits/rates/test_desk.py tests two desks, test_limits.py a Redis that is gone.
def test_two_processes_whose_redis_is_late_let_no_more_through_than_each_would_alone() -> None:
    with SlowWire(settings.MAAS_REDIS_URL) as wire, two_servers(MAAS_REDIS_URL=wire.url) as servers:
        tenant = limited_tenant()
        wire.delay_s = 0.2
        passed, came_in = let_through(servers, tenant)
        assert times_alone(servers) == len(servers)
        assert LIMIT <= passed <= len(servers) * (LIMIT + came_in)
