"""Test what workers report about themselves, and how they are notified to drain."""

import json
from collections.abc import Iterator

import pytest
import redis
from django.conf import settings

from inference.workers import heartbeats
from inference.workers.heartbeats import (
    DRAIN_PREFIX,
    NAMES,
    PREFIX,
    Beat,
    Heartbeat,
    HeldModel,
    WorkerReport,
    live_workers,
    order_drain,
)
from tests.fixtures import unique


def seen(name: str) -> WorkerReport | None:
    return next((worker for worker in live_workers() if worker.name == name), None)


@pytest.fixture
def heart() -> Iterator[Heartbeat]:
    heart = Heartbeat(unique("worker"), "CPU")
    heart.beat(Beat())
    yield heart
    heart.end()


def test_a_beat_tells_what_the_worker_holds_and_has_done(heart: Heartbeat) -> None:
    heart.beat(Beat(models=(HeldModel("ocr@1", 10, 4, 12, 2.0),), pages_held=3, pages_done=9, weight_bytes=10))
    worker = seen(heart.name)
    assert worker is not None
    assert (worker.pages_held, worker.pages_done, worker.resident, worker.weight_bytes) == (
        3,
        9,
        ("ocr@1",),
        10,
    )
    assert (worker.models[0].rows_per_run, worker.models[0].ms_per_run) == (3.0, 500.0)
    assert worker.rss_bytes > 0
    heart.end()
    assert seen(heart.name) is None


def test_an_order_to_drain_stands_until_it_is_taken_back(heart: Heartbeat) -> None:
    assert order_drain(name=heart.name, drain=True)
    assert heart.ordered_to_drain()
    assert heart.ordered_to_drain()
    assert order_drain(name=heart.name, drain=False)
    assert not heart.ordered_to_drain()


def test_a_worker_that_drains_has_no_room_for_pages(heart: Heartbeat) -> None:
    heart.beat(Beat(models=(), pages_held=1, draining=True))
    worker = seen(heart.name)
    assert worker is not None
    assert worker.slots == 0


def test_an_order_outlives_a_redis_that_is_away(heart: Heartbeat) -> None:
    order_drain(name=heart.name, drain=True)
    assert heart.ordered_to_drain()
    here, heart._redis = heart._redis, redis.Redis(port=1, socket_connect_timeout=0.2)
    assert heart.ordered_to_drain()
    heart._redis = here


def test_an_order_is_not_for_the_next_process_of_the_same_name() -> None:
    killed = Heartbeat(unique("worker"), "CPU")
    killed.beat(Beat(models=(), pages_held=0))
    order_drain(name=killed.name, drain=True)
    successor = Heartbeat(killed.name, "CPU")
    assert not successor.ordered_to_drain()
    successor.beat(Beat(models=(), pages_held=0))
    assert order_drain(name=successor.name, drain=True)
    assert successor.ordered_to_drain()
    successor.end()


def test_an_order_is_kept_for_as_long_as_it_is_obeyed(heart: Heartbeat) -> None:
    client = redis.Redis.from_url(settings.MAAS_REDIS_URL)
    order_drain(name=heart.name, drain=True)
    client.expire(DRAIN_PREFIX + heart.name, 60)
    assert heart.ordered_to_drain()
    assert client.ttl(DRAIN_PREFIX + heart.name) > 60


def test_an_order_ends_with_its_worker(heart: Heartbeat) -> None:
    order_drain(name=heart.name, drain=True)
    heart.end()
    assert not Heartbeat(heart.name, "CPU").ordered_to_drain()


def test_a_worker_of_another_version_is_read_as_far_as_it_is_understood() -> None:
    name = unique("worker")
    told = {
        "name": name,
        "pid": 1,
        "provider": "CPU",
        "pages_held": 2,
        "threads": 8,
        "seen_at": 1.0,
        "resident": ["a@1"],
    }
    client = redis.Redis.from_url(settings.MAAS_REDIS_URL)
    client.set(PREFIX + name, json.dumps({**told, "from_the_future": True}), ex=heartbeats.EXPIRES_S)
    client.sadd(NAMES, name)
    worker = seen(name)
    client.delete(PREFIX + name)
    assert worker is not None
    assert (worker.pages_held, worker.models, worker.draining) == (2, (), False)


def test_a_worker_that_was_killed_is_forgotten_when_its_last_beat_expires(heart: Heartbeat) -> None:
    client = redis.Redis.from_url(settings.MAAS_REDIS_URL)
    client.delete(PREFIX + heart.name)
    assert seen(heart.name) is None
    assert not client.sismember(NAMES, heart.name)


def test_a_worker_says_how_long_ago_it_beat_by_the_clock_of_redis(heart: Heartbeat) -> None:
    client = redis.Redis.from_url(settings.MAAS_REDIS_URL)
    client.pexpire(PREFIX + heart.name, 1500)
    worker = seen(heart.name)
    assert worker is not None
    assert 3.4 < worker.silent_s < 5


def test_a_beat_is_read_as_it_was_told(heart: Heartbeat) -> None:
    told = Beat(serving=("a@1",), loading=("b@1",), files={"f": 3}, service_s={"a@1": 0.5}, pools=("fast",))
    heart.beat(told)
    worker = seen(heart.name)
    assert worker is not None
    for name in ("serving", "loading", "pools"):
        assert tuple(getattr(worker, name)) == getattr(told, name)
    assert (worker.files, worker.service_s) == (told.files, told.service_s)
