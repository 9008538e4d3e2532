"""Tests of three Redis servers with one purpose each, and of servers that would lose data that they must keep."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest
import redis
from django.core.management import CommandError, call_command

from inference.registry.models import ModelVersion
from jobs.events.broker import broker_server, publishing_broker
from jobs.events.changes import CHANNEL
from maas.process.errors import LaunchError
from maas.process.health import NotReady, web_checks
from maas.process.keeping_redis import refuse_evicting_servers
from maas.web.front import Front
from tenants.identity.identity import Identity
from tests.inference.workers.brokers.servers import redis_server
from tests.jobs.conftest import Desk
from tests.maas.granian_server import GranianServer

KEEPS = ("--maxmemory-policy", "noeviction")
EVICTS = ("--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru")
NAMES = ("MAAS_REDIS_URL", "MAAS_BROKER_URL", "MAAS_CACHE_URL")


@pytest.fixture
def three_servers(settings: object) -> Iterator[dict[str, str]]:
    with ExitStack() as stack:
        urls = {
            name: stack.enter_context(redis_server(*(EVICTS if name == "MAAS_CACHE_URL" else KEEPS))) for name in NAMES
        }
        for name, url in urls.items():
            setattr(settings, name, url)
        publishing_broker.cache_clear()
        broker_server.cache_clear()
        yield urls
        publishing_broker.cache_clear()
        broker_server.cache_clear()


def test_broker_durable_and_cache_redis_can_be_three_servers(
    three_servers: dict[str, str], identity: Identity, version: ModelVersion
) -> None:
    clients = {name: redis.Redis.from_url(url) for name, url in three_servers.items()}
    with GranianServer("maas.asgi:application", three_servers) as server:
        answer = httpx.get(f"{server.url}/readyz").json()
        assert answer["status"] == "ready"
        assert answer["checks"]["broker"] == {"ok": True, "detail": "answers"}
        hints = clients["MAAS_REDIS_URL"].pubsub(ignore_subscribe_messages=True)  # type: ignore[no-untyped-call]
        hints.subscribe(CHANNEL)
        assert hints.get_message(timeout=10) is None
        Desk(identity, version).submit()
        assert hints.get_message(timeout=10)["channel"] == CHANNEL.encode()
    key = f"maas:broker:queue:{version.queue_name}"
    assert [name for name, client in clients.items() if client.exists(key)] == ["MAAS_BROKER_URL"]


def test_nothing_starts_on_a_broker_that_evicts(three_servers: dict[str, str], settings: object) -> None:
    settings.MAAS_BROKER_URL = three_servers["MAAS_CACHE_URL"]  # type: ignore[attr-defined]
    with pytest.raises(LaunchError, match="MAAS_BROKER_URL evicts what it must keep"):
        refuse_evicting_servers()
    with pytest.raises(CommandError, match="MAAS_BROKER_URL evicts what it must keep"):
        call_command("scheduler")
    with pytest.raises(LaunchError, match="MAAS_BROKER_URL evicts what it must keep"):
        asyncio.run(Front.from_settings()._start())
    with pytest.raises(NotReady, match="allkeys-lru"):
        web_checks()["broker"]()


def test_one_that_does_not_answer_is_no_reason_not_to_start(settings: object) -> None:
    settings.MAAS_BROKER_URL = "redis://127.0.0.1:1/0"  # type: ignore[attr-defined]
    refuse_evicting_servers()
