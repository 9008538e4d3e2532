"""Tests of a balance or a budget at two real web processes, when many requests come at once and are charged
meanwhile.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from functools import partial

import httpx
import pytest
from django.conf import settings
from django.db import connections

from inference.registry.models import ModelVersion
from inference.rpc import LaneReader
from tenants.billing.ledger.included_models import IncludedPool
from tenants.billing.ledger.subscriptions import subscribe
from tenants.billing.metering.roll_up import roll_up_uses
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.inference.gateway.house import REFUSED, Embedder
from tests.maas.granian_server import GranianServer
from tests.tenants.billing.ledger.conftest import Purse
from tests.tenants.plans.selling import include, make_plan
from tests.waiting import eventually

CALLERS, PAID, PRICE = 60, 17, 10
TIMEOUT_S = 30.0
Ask = Callable[[int], str]


@pytest.fixture
def servers(two_webs: tuple[GranianServer, GranianServer]) -> list[GranianServer]:
    return list(two_webs)


@pytest.fixture
def purse(tenant: CreatedTenant) -> Purse:
    return Purse(tenant.tenant.id)


@dataclass(frozen=True)
class Served:
    name: str
    embedder: Embedder


@pytest.fixture
def serve(make_version: Callable[..., ModelVersion]) -> Iterator[Callable[..., Served]]:
    """Yield a function that serves an embedding model at 10 micro-units, and at 1 for a cache hit."""
    with ExitStack() as stack:

        def served(**terms: object) -> Served:
            version, embedder = make_version(price_micros=PRICE, **terms), Embedder()
            reader = LaneReader(settings.MAAS_REDIS_URL, embedder.serve, slots=256)
            reader.set_lanes([version.key])
            reader.start()
            stack.callback(reader.stop, 0.2)
            assert reader.reading.wait(TIMEOUT_S)
            return Served(version.served_model.name, embedder)

        yield served


@pytest.fixture(autouse=True)
def scheduler() -> Iterator[None]:
    """Charge usage as soon as possible."""
    ends = threading.Event()

    def charge_on() -> None:
        while not ends.wait(0.05):
            roll_up_uses()
        connections.close_all()

    thread = threading.Thread(target=charge_on)
    thread.start()
    yield
    ends.set()
    thread.join()


def answers(
    servers: Sequence[GranianServer], tenant: CreatedTenant, model: str, text: Ask, callers: int = CALLERS
) -> Counter[int | str]:
    """Send requests at once. Return the number of each status, and of each code of a refusal."""
    eventually(lambda: all(_knows(server, tenant, model) for server in servers), "both know the model", TIMEOUT_S)

    async def ask(client: httpx.AsyncClient, number: int) -> int | str:
        answer = await client.post("/v1/embeddings", json={"model": model, "input": text(number)})
        return answer.status_code if answer.status_code == 200 else str(answer.json()["error"]["code"])

    async def ask_all() -> list[int | str]:
        async with AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(_client(server, tenant)) for server in servers]
            return await asyncio.gather(*(ask(clients[n % len(clients)], n) for n in range(callers)))

    return Counter(asyncio.run(ask_all()))


def _knows(server: GranianServer, tenant: CreatedTenant, model: str) -> bool:
    """Say whether the server knows the model. Names are looked up only now and then, so a new one may be missing.
    Nothing is run.
    """
    of_nothing = {"model": model, "input": []}
    answer = httpx.post(f"{server.url}/v1/embeddings", json=of_nothing, headers=_key(tenant))
    return bool(answer.json()["error"]["code"] != "model_not_found")


def _key(tenant: CreatedTenant) -> dict[str, str]:
    return {"Authorization": f"Bearer {tenant.key.text}"}


def _client(server: GranianServer, tenant: CreatedTenant) -> httpx.AsyncClient:
    key = _key(tenant)
    none = httpx.Limits(max_connections=None)
    return httpx.AsyncClient(base_url=server.url, headers=key, timeout=60, limits=none, verify=False)


def bounded_by(of: str, purse: Purse, tenant: CreatedTenant) -> None:
    match of:
        case "a balance":
            purse.prepaid(PAID * PRICE)
        case "a credit line":
            purse.prepaid(line=PAID * PRICE)
        case "a month's budget":
            purse.budget(PAID * PRICE)
        case "a key's budget":
            purse.prepaid(10 * PAID * PRICE)
            purse.budget(PAID * PRICE, tenant.key.key.id)


@pytest.mark.parametrize("of", ["a balance", "a credit line", "a month's budget", "a key's budget"])
def test_of_many_at_two_processes_exactly_those_pass_that_can_be_paid(
    servers: list[GranianServer], tenant: CreatedTenant, purse: Purse, serve: Callable[..., Served], of: str
) -> None:
    bounded_by(of, purse, tenant)
    model = serve().name
    seen = answers(servers, tenant, model, "text {}".format)
    assert seen == {200: PAID, "insufficient_funds": CALLERS - PAID}
    assert answers(servers, tenant, model, "more {}".format, 10) == {"insufficient_funds": 10}
    roll_up_uses()
    spent = purse.account("revenue")
    assert (spent, purse.account("uncollected")) == (PAID * PRICE, 0)
    if of.endswith("budget"):
        assert purse.of_budget() == (PAID * PRICE, 0)
    else:
        assert purse.stands()[0] == (0 if of == "a balance" else -PAID * PRICE)


@pytest.mark.parametrize("terms", [(PAID, 0, 0), (9, 0, PAID - 9), (0, PAID, 0), (5, 7, PAID - 12)], ids=str)
def test_of_many_at_once_those_pass_that_are_included_or_can_be_paid(
    servers: list[GranianServer],
    tenant: CreatedTenant,
    purse: Purse,
    serve: Callable[..., Served],
    terms: tuple[int, int, int],
) -> None:
    (included, of_all, funds), model, plan = terms, serve().name, make_plan()
    for quantity, of in ((included, model), (of_all, "")):
        if quantity:
            include(plan, quantity, model=of)
    with operator_work():
        subscribe(tenant_id=tenant.tenant.id, plan=plan)
    purse.prepaid(funds * PRICE)
    seen = answers(servers, tenant, model, "text {}".format)
    assert seen == {200: PAID, "insufficient_funds": CALLERS - PAID}
    roll_up_uses()
    assert answers(servers, tenant, model, "more {}".format, 10) == {"insufficient_funds": 10}
    assert (purse.account("revenue"), purse.account("uncollected")) == (funds * PRICE, 0)
    assert purse.stands() == (0, 0)
    with unit_of_work(tenant.tenant.id):
        pools = sorted((pool.granted, pool.used, pool.held) for pool in IncludedPool.objects.all())
    assert pools == sorted((many, many, 0) for many in (included, of_all) if many)


def test_what_fails_costs_nothing_and_what_it_was_to_cost_is_there_for_others(
    servers: list[GranianServer], tenant: CreatedTenant, purse: Purse, serve: Callable[..., Served]
) -> None:
    purse.prepaid(PAID * PRICE)
    served = serve()
    served.embedder.fails = RuntimeError("a defect")
    failed = answers(servers, tenant, served.name, "text {}".format, PAID)
    assert not failed[200] + failed["insufficient_funds"]
    served.embedder.fails = None
    assert answers(servers, tenant, served.name, "text {}".format)[200] == PAID


def test_tokens_are_set_aside_by_their_most_and_no_balance_is_passed(
    servers: list[GranianServer], tenant: CreatedTenant, purse: Purse, serve: Callable[..., Served]
) -> None:
    """A text of eight letters costs 80, and 100 are set aside for it."""
    purse.prepaid(1_000)
    model = serve(meter="token").name
    passed = 0
    for turn in range(3):
        passed += answers(servers, tenant, model, partial("{}{:07}".format, turn), 15)[200]
        roll_up_uses()
    assert passed == 12, "what is left, 40, suffices for no more"
    assert (purse.stands(), purse.account("uncollected")) == ((40, 0), 0)


def test_time_is_set_aside_by_its_most_and_charged_by_what_it_was(
    servers: list[GranianServer], tenant: CreatedTenant, purse: Purse, serve: Callable[..., Served]
) -> None:
    """A run of 2.5 ms is charged as 3 ms, which cost 30. An amount for 10 s is set aside."""
    set_aside = PRICE * settings.MAAS_HOLD_GPU_MS_PER_PAGE
    purse.prepaid(set_aside + 60)
    served = serve(meter="gpu_second")
    served.embedder.device_us = 2_500
    refused = partial(answers, servers, tenant, served.name, lambda _: REFUSED, 1)  # It costs nothing.
    eventually(lambda: not refused()["model_not_found"], "the process knows the model")
    passed = 0
    for turn in range(5):
        passed += answers(servers, tenant, served.name, f"{turn} {{}}".format, 1)[200]
        roll_up_uses()
    assert passed == 3, "what is left then does not suffice for the most that one may cost"
    assert (purse.stands(), purse.account("uncollected")) == ((set_aside - 30, 0), 0)
    with unit_of_work(tenant.tenant.id):
        uses = UsageRecord.objects.filter(tenant_id=tenant.tenant.id)
        assert list(uses.values_list("meter", "quantity", "amount_micros")) == 3 * [("gpu_second", 3, 30)]


def test_known_answers_are_paid_for_to_the_last_and_no_further(
    servers: list[GranianServer], tenant: CreatedTenant, purse: Purse, serve: Callable[..., Served]
) -> None:
    purse.prepaid(4 * PRICE + PAID)
    model = serve(cache_ttl_s=1_000).name
    for _ in range(3):
        answers(servers, tenant, model, "a known text".format, len(servers))
    seen = sum(answers(servers, tenant, model, "a known text".format)[200] for _ in range(3))
    roll_up_uses()
    assert seen
    assert purse.account("uncollected") == 0
    assert 0 <= purse.stands()[0] < PRICE
