"""Serves `/livez`, `/readyz` and `/metrics` without Django, so that they respond even when Django is stuck."""

import asyncio
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any

import structlog
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import close_old_connections, connections
from django.db.migrations.executor import MigrationExecutor
from prometheus_client import CONTENT_TYPE_LATEST, Gauge, generate_latest

from inference.core.prompt_redis import single_try
from inference.workers.heartbeats import live_workers
from jobs.documents.reading import sandbox_state
from maas.process.keeping_redis import EvictingRedis, check_policy
from tenants.core.asgi.protocol import App, Receive, Scope, Send, header
from tenants.core.asgi.remembered import Remembered
from tenants.core.asgi.stopping import Stop
from tenants.core.db.applied_sql import sql_files, were_applied
from tenants.core.db.unit_of_work import APP

log = structlog.get_logger(__name__)
SERVICE_ANSWERS = Gauge(
    "maas_service_up", "1 for each check that succeeded at the last request to /readyz.", ["service"]
)
TIMEOUT_S = 2.0
REMEMBERED_S = 1.0
"""The time for which a result is reused. However often readiness is requested, services are checked once a second."""


DRAINING = b'{"status": "draining"}'


REQUIRED = frozenset({"database", "migrations"})
"""The services without which a web process can serve nothing. If a lack of anything else made a process not ready, all
web processes would leave their load balancer at the same moment, and a failure of a part that few requests need
would stop all of them.
"""


class NotReady(Exception):
    """A check that failed. Its message says what is missing."""


@dataclass(frozen=True)
class Finding:
    ok: bool
    detail: str


@dataclass(frozen=True)
class Readiness:
    checks: Mapping[str, Finding]
    workers: tuple[str, ...] = ()
    """The names of the workers, for information only. A web process is ready without any."""
    sandbox: Mapping[str, Sequence[str] | None] = field(default_factory=sandbox_state)

    @property
    def ready(self) -> bool:
        return not REQUIRED.intersection(self._failing())

    def _failing(self) -> list[str]:
        return [name for name, finding in self.checks.items() if not finding.ok]

    def to_json(self) -> bytes:
        failing = self._failing()
        content: dict[str, Any] = {
            "status": "ready" if self.ready else "not ready",
            "not_ready": [name for name in failing if name in REQUIRED],
            "degraded": [name for name in failing if name not in REQUIRED],
            "checks": {name: asdict(finding) for name, finding in self.checks.items()},
            "workers": self.workers,
            "sandbox": self.sandbox,
        }
        return json.dumps(content).encode()


def check_database() -> str:
    with connections[APP].cursor() as cursor:
        cursor.execute("SELECT 1")
    return "answers"


@dataclass
class MigrationCheck:
    """A check that this version's migrations and SQL files are applied. After a success, it never queries again."""

    applied: bool = field(default=False)

    def __call__(self) -> str:
        if not self.applied:
            executor = MigrationExecutor(connections[APP])
            missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
            if missing:
                names = ", ".join(f"{migration.app_label}.{migration.name}" for migration, _ in missing[:5])
                raise NotReady(f"{len(missing)} migrations are not applied: {names}")
            if not were_applied(connections[APP], sql_files()):
                raise NotReady("the SQL files of this version are not applied: run manage.py migrate")
            self.applied = True
        return "applied"


def check_keeping_redis(url: str) -> str:
    try:
        check_policy(url, TIMEOUT_S)
    except EvictingRedis as error:
        raise NotReady(str(error)) from error
    return "answers"


def check_cache_redis() -> str:
    with single_try(settings.MAAS_CACHE_URL, TIMEOUT_S) as client:
        client.ping()
    return "answers"


def check_storage() -> str:
    name = default_storage.save(f"readyz/{secrets.token_hex(8)}", ContentFile(b"ready?"))
    default_storage.delete(name)
    return "writable"


def check_amqp_broker() -> str:
    import pika  # noqa: PLC0415  # a tenth of a start, which other brokers spare

    parameters = pika.URLParameters(settings.MAAS_BROKER_URL)
    parameters.socket_timeout = parameters.stack_timeout = parameters.blocked_connection_timeout = TIMEOUT_S
    pika.BlockingConnection(parameters).close()
    return "answers"


def web_checks() -> dict[str, Callable[[], str]]:
    checks: dict[str, Callable[[], str]] = {
        "database": check_database,
        "migrations": MigrationCheck(),
        "durable_redis": lambda: check_keeping_redis(settings.MAAS_REDIS_URL),
        "cache_redis": check_cache_redis,
        "storage": check_storage,
    }
    if settings.MAAS_BROKER_URL.startswith("amqp"):
        checks["broker"] = check_amqp_broker
    elif settings.MAAS_BROKER_URL != settings.MAAS_REDIS_URL:
        checks["broker"] = lambda: check_keeping_redis(settings.MAAS_BROKER_URL)
    return checks


class Check:
    """A check that runs in its own thread, so that an unresponsive service delays no other check. If it is already
    running, a call waits for that run.
    """

    def __init__(self, name: str, check: Callable[[], object]) -> None:
        self._name = name
        self._check = check
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=f"readyz-{name}")
        self._running: asyncio.Future[object] | None = None

    async def run(self) -> object:
        if self._running is None or self._running.done():
            loop = asyncio.get_running_loop()
            self._running = asyncio.ensure_future(loop.run_in_executor(self._pool, self._fresh))
            self._running.add_done_callback(lambda run: run.cancelled() or run.exception())
        async with asyncio.timeout(TIMEOUT_S):
            return await asyncio.shield(self._running)

    def _fresh(self) -> object:
        close_old_connections()
        try:
            return self._check()
        finally:
            close_old_connections()

    async def find(self) -> Finding:
        try:
            return Finding(True, str(await self.run()))
        except NotReady as error:
            return Finding(False, str(error))
        except TimeoutError:
            return Finding(False, f"no answer within {TIMEOUT_S:g} s")
        except Exception as error:
            # Reasons may name hosts and users. They belong in the log, not in the response.
            log.warning("readiness_check_failed", check=self._name, error=str(error))
            return Finding(False, f"failed: {type(error).__name__}")


class ReadinessProbe:
    def __init__(self, checks: Mapping[str, Callable[[], str]]) -> None:
        self._checks = {name: Check(name, check) for name, check in checks.items()}
        self._workers = Check("workers", lambda: tuple(worker.name for worker in live_workers()))
        self._remembered: Remembered[str, Readiness] = Remembered(lifetime_s=REMEMBERED_S, capacity=1)

    async def read(self) -> Readiness:
        return await self._remembered.get("", self._ask)

    async def _ask(self) -> Readiness:
        findings, workers = await asyncio.gather(
            asyncio.gather(*(check.find() for check in self._checks.values())), self._worker_names()
        )
        readiness = Readiness(dict(zip(self._checks, findings, strict=True)), workers)
        for name, finding in readiness.checks.items():
            SERVICE_ANSWERS.labels(service=name).set(int(finding.ok))
        return readiness

    async def _worker_names(self) -> tuple[str, ...]:
        try:
            return tuple(await self._workers.run())  # type: ignore[arg-type]
        except Exception as error:
            log.warning("workers_not_listed", error=str(error))
            return ()


class Health:
    """A layer that serves the three health addresses and passes on all other requests."""

    def __init__(self, inner: App, probe: ReadinessProbe, stop: Stop) -> None:
        self._inner = inner
        self._probe = probe
        self._stop = stop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["path"]:
            case "/livez":
                await answer(send, 200, "text/plain", b"alive\n")
            case "/readyz" if self._stop.draining:
                await answer(send, 503, "application/json", DRAINING)
            case "/readyz":
                readiness = await self._probe.read()
                await answer(send, 200 if readiness.ready else 503, "application/json", readiness.to_json())
            case "/metrics" if not came_through_proxy(scope):
                await answer(send, 200, CONTENT_TYPE_LATEST, await asyncio.to_thread(generate_latest))
            case _:
                await self._inner(scope, receive, send)


def came_through_proxy(scope: Scope) -> bool:
    """Return whether a proxy has passed the request on. Metrics are for callers who reach the process itself."""
    return settings.MAAS_PROXIES > 0 and header(scope, b"x-forwarded-for") is not None


async def answer(send: Send, status: int, content_type: str, body: bytes) -> None:
    headers = [
        (b"content-type", content_type.encode()),
        (b"content-length", b"%d" % len(body)),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
