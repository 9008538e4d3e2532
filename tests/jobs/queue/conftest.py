"""Servers that are there and do not respond, a second tenant, and pages that are not released automatically."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from jobs.events.broker import broker_server, publishing_broker
from tenants.identity.identity import Identity
from tests.inference.workers.brokers.servers import hanging_server
from tests.jobs.conftest import Desk


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
    """Return the desk of another tenant with the same model."""
    return replace(desk, identity=other_identity)
