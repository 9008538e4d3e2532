"""Tests of what the web process reports about itself."""

import asyncio
import json
import threading
import time

import httpx
import pytest
from django.db import connections
from prometheus_client import REGISTRY
from pytest_django import Settings

from maas.process.health import (
    Finding,
    Health,
    MigrationCheck,
    NotReady,
    Readiness,
    ReadinessProbe,
    web_checks,
)
from maas.web_processes.group_metrics import GroupMetrics, open_sockets
from tenants.core.asgi.protocol import App, Receive, Scope, Send
from tenants.core.asgi.stopping import Stop
from tests.maas.granian_server import GranianServer


async def _inner(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 418, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def _ask(
    path: str, probe: ReadinessProbe, app: App | None = None, headers: dict[str, str] | None = None
) -> httpx.Response:
    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app or Health(_inner, probe, Stop()))
        async with httpx.AsyncClient(transport=transport, base_url="http://web") as client:
            return await client.get(path, headers=headers)

    return asyncio.run(ask())


def _fails() -> str:
    raise ConnectionError("postgres://user:secret@host")


def test_a_web_process_with_its_services_is_ready(telling_server: GranianServer) -> None:
    answer = httpx.get(f"{telling_server.url}/readyz")
    assert answer.status_code == 200
    body = answer.json()
    assert body["status"] == "ready"
    assert set(body["checks"]) == {"database", "migrations", "durable_redis", "cache_redis", "storage"}
    assert body["sandbox"].keys() == {"needs", "layers"}


def test_it_names_what_is_missing_and_no_secrets() -> None:
    answer = _ask("/readyz", ReadinessProbe({"database": _fails, "storage": lambda: "writable"}))
    assert answer.status_code == 503
    assert answer.json()["degraded"] == []
    assert answer.json()["not_ready"] == ["database"]
    assert answer.json()["checks"]["database"] == {"ok": False, "detail": "failed: ConnectionError"}
    assert "secret" not in answer.text


def test_what_few_requests_need_takes_no_web_process_out_of_its_load_balancer() -> None:
    """Otherwise all web processes would leave the load balancer at the same moment."""
    others = {"durable_redis": _fails, "cache_redis": _fails, "broker": _fails, "storage": _fails}
    answer = _ask("/readyz", ReadinessProbe({"database": lambda: "answers", **others}))
    assert answer.status_code == 200
    body = answer.json()
    assert (body["status"], body["not_ready"], body["degraded"]) == ("ready", [], [*others])
    assert body["checks"]["storage"] == {"ok": False, "detail": "failed: ConnectionError"}
    assert REGISTRY.get_sample_value("maas_service_up", {"service": "storage"}) == 0
    assert REGISTRY.get_sample_value("maas_service_up", {"service": "database"}) == 1


def test_a_check_that_hangs_is_not_waited_for_and_delays_no_other() -> None:
    released = threading.Event()
    started = time.monotonic()
    try:
        probe = ReadinessProbe({"database": lambda: str(released.wait(30)), "storage": lambda: "writable"})
        answer = _ask("/readyz", probe)
    finally:
        released.set()
    assert time.monotonic() - started < 10
    assert answer.json()["checks"]["database"]["detail"] == "no answer within 2 s"
    assert answer.json()["checks"]["storage"]["ok"]


def test_it_lives_while_its_services_do_not() -> None:
    answer = _ask("/livez", ReadinessProbe({"database": _fails}))
    assert (answer.status_code, answer.text) == (200, "alive\n")


def test_other_addresses_are_passed_on() -> None:
    assert _ask("/anything", ReadinessProbe({})).status_code == 418


def test_metrics_are_in_the_prometheus_format(telling_server: GranianServer) -> None:
    httpx.get(f"{telling_server.url}/echo")
    answer = httpx.get(f"{telling_server.url}/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert 'maas_request_seconds_count{kind="dashboard",outcome="answered"}' in answer.text


@pytest.mark.parametrize(("proxies", "statuses"), [(0, (200, 200)), (1, (200, 418))])
def test_metrics_are_not_for_callers_behind_a_proxy(
    settings: Settings, proxies: int, statuses: tuple[int, int]
) -> None:
    settings.MAAS_PROXIES = proxies
    forwarded = {"X-Forwarded-For": "203.0.113.7"}
    probe = ReadinessProbe({})
    for app in (Health(_inner, probe, Stop()), GroupMetrics(Health(_inner, probe, Stop()), 0, open_sockets(1))):
        answers = [_ask("/metrics", probe, app, headers) for headers in ({}, forwarded)]
        assert tuple(answer.status_code for answer in answers) == statuses


def test_a_missing_migration_is_named() -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'sessions' RETURNING applied")
        (applied,) = cursor.fetchone()
        try:
            with pytest.raises(NotReady, match=r"1 migrations are not applied: sessions\.0001_initial"):
                MigrationCheck()()
        finally:
            cursor.execute("INSERT INTO django_migrations VALUES (DEFAULT, 'sessions', '0001_initial', %s)", [applied])
    assert MigrationCheck()() == "applied"


def test_a_durable_redis_that_evicts_is_not_ready(settings: object) -> None:
    settings.MAAS_REDIS_URL = settings.MAAS_CACHE_URL  # type: ignore[attr-defined]
    with pytest.raises(NotReady, match="maxmemory-policy"):
        web_checks()["durable_redis"]()


def test_a_broker_is_asked_when_it_is_rabbitmq(settings: object) -> None:
    assert "broker" not in web_checks()
    settings.MAAS_BROKER_URL = "amqp://127.0.0.1:1/"  # type: ignore[attr-defined]
    assert "broker" in web_checks()


def test_workers_are_listed_and_not_needed() -> None:
    readiness = Readiness({"database": Finding(True, "answers")}, ())
    assert readiness.ready
    assert json.loads(readiness.to_json())["workers"] == []
