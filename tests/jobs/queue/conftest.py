"""Servers that do not respond, a second tenant, a worker, threads, and pages that are not released automatically."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

import pytest
from django.conf import settings as current
from django.db import connections

from inference.workers.heartbeats import Beat, Heartbeat
from jobs.events.broker import broker_server, publishing_broker
from jobs.queue import slots
from tenants.core.db.unit_of_work import APP
from tenants.identity.identity import Identity
from tests.fixtures import unique
from tests.inference.workers.brokers.servers import hanging_server
from tests.jobs.conftest import Desk

Result = TypeVar("Result")


def at_once(threads: int, do: Callable[[int], object]) -> None:
    """Run `do` in this many threads at once, each with its number."""
    together = threading.Barrier(threads)

    def run(number: int) -> None:
        connections[APP].ensure_connection()
        together.wait(60)
        try:
            do(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(run, range(threads)))


def elsewhere(do: Callable[[], Result]) -> Result:
    """Return the result of `do`, run in another thread with connections of its own."""

    def run() -> Result:
        try:
            return do()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result(60)


@pytest.fixture
def nothing_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the last look at the workers."""
    monkeypatch.setattr(slots, "_last", slots._Seen())


@pytest.fixture
def worker(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register a worker that finishes sixteen pages in two seconds."""
    monkeypatch.setattr(current, "MAAS_WORKER_THREADS", 16)
    heart = Heartbeat(unique("worker"), "CPU")
    heart.beat(Beat(serving=(desk.version.key,), service_s={desk.version.key: 2.0}))
    yield
    heart.end()


@pytest.fixture
def hanging_broker(settings: object) -> Iterator[None]:
    with hanging_server() as address:
        settings.MAAS_BROKER_URL = f"redis://{address}/0"  # type: ignore[attr-defined]
        publishing_broker.cache_clear()
        yield
    publishing_broker.cache_clear()
    broker_server.cache_clear()


@pytest.fixture
def hanging_redis(settings: object) -> Iterator[None]:
    with hanging_server() as address:
        settings.MAAS_REDIS_URL = f"redis://{address}/0"  # type: ignore[attr-defined]
        yield


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Release nothing automatically. Each test says when."""
    monkeypatch.setattr("jobs.submission.services.release_after_commit", lambda *_: None)


@pytest.fixture
def rival(desk: Desk, other_identity: Identity) -> Desk:
    """Return the `desk` of another tenant with the same model."""
    return replace(desk, identity=other_identity)
