import asyncio
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from inference.gateway.open_inference import statistics_store
from inference.gateway.open_inference.statistics import NONE, CallCounts, model_statistics
from inference.gateway.open_inference.statistics_book import StatisticsBook
from maas.local.supervisor.ports import free_port
from tenants.core.errors import DomainError
from tests.fixtures import unique
from tests.waiting import eventually

ONE = CallCounts(success=1, success_ns=5, queue_ns=1, infer_ns=3, last_ms=1000)


@pytest.fixture
def no_redis(settings: Settings) -> Iterator[None]:
    settings.MAAS_CACHE_URL = f"redis://127.0.0.1:{free_port()}/0"
    statistics_store._connection.cache_clear()
    yield
    statistics_store._connection.cache_clear()


def test_counts_add_up_and_the_last_call_is_the_latest() -> None:
    later = CallCounts(failed=1, failed_ns=7, last_ms=2000)
    assert ONE + later + NONE == CallCounts(1, 5, 1, 7, 1, 3, 2000)


def test_they_are_said_in_the_form_of_the_extension() -> None:
    said = model_statistics("adder", 2, ONE + ONE)
    assert (said["name"], said["version"], said["last_inference"]) == ("adder", "2", 1000)
    assert (said["inference_count"], said["execution_count"]) == (2, 0)
    known = {name: one for name, one in said["inference_stats"].items() if one["count"]}
    assert known == {
        "success": {"count": 2, "ns": 10},
        "queue": {"count": 2, "ns": 2},
        "compute_infer": {"count": 2, "ns": 6},
    }


def test_what_two_processes_count_is_told_together_and_to_its_tenant_alone() -> None:
    tenant, other = unique("tenant"), unique("tenant")

    async def count() -> None:
        books = StatisticsBook(), StatisticsBook()
        for book in books:
            book.add(tenant, "adder@1", ONE)
            book.add(tenant, "adder@2", ONE)
            await book.of(other)
        assert await books[0].of(tenant) == {"adder@1": ONE + ONE, "adder@2": ONE + ONE}
        assert await books[1].of(other) == {}

    asyncio.run(count())


def test_they_are_told_although_nobody_asks() -> None:
    tenant = unique("tenant")

    async def count() -> None:
        StatisticsBook().add(tenant, "adder@1", ONE)
        told = asyncio.to_thread(eventually, lambda: statistics_store.counts_of(tenant), "they are told")
        assert await told == {"adder@1": ONE}

    asyncio.run(count())


@pytest.mark.usefixtures("no_redis")
def test_without_redis_calls_are_counted_in_vain_and_only_who_asks_is_told() -> None:
    async def count() -> None:
        book = StatisticsBook()
        book.add("a", "adder@1", ONE)
        with pytest.raises(DomainError, match="cannot be read right now") as refused:
            await book.of("a")
        assert refused.value.code == "inference_unavailable"

    asyncio.run(count())
