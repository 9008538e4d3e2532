"""Heartbeats of workers: expiring keys in Redis that say that a worker is alive, what it holds and what it does."""

import json
import os
import socket
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any, cast
from uuid import uuid4

import redis
import structlog
from django.conf import settings

from inference.core.prompt_redis import prompt_redis, single_try

log = structlog.get_logger(__name__)
PREFIX = "maas:worker:"
NAMES = "maas:workers"
"""The key of a set of all names, so that no reader has to search through every key of the server."""
DRAIN_PREFIX = "maas:drain:"
BEAT_S = 1.0
EXPIRES_S = 5
STUCK_S = 30.0
"""Seconds without a finished look after which a worker counts as stuck. A look normally takes milliseconds."""
DRAIN_KEPT_S = 86_400
"""Seconds until a drain order expires. The worker renews it, and a killed worker never withdraws its order."""


def _connection() -> "redis.Redis":
    return _connection_to(settings.MAAS_REDIS_URL)


@cache
def _connection_to(url: str) -> "redis.Redis":
    return single_try(url)


@dataclass(frozen=True)
class HeldModel:
    """A model version in a worker's memory, and what it has run since it was loaded."""

    key: str
    weight_bytes: int = 0
    runs: int = 0
    rows: int = 0
    run_s: float = 0.0
    load_s: float = 0.0
    held_s: float = 0.0
    idle_s: float = 0.0

    @property
    def name(self) -> str:
        return self.key.partition("@")[0]

    @property
    def rows_per_run(self) -> float:
        return self.rows / self.runs if self.runs else 0.0

    @property
    def ms_per_run(self) -> float:
        return 1000 * self.run_s / self.runs if self.runs else 0.0


@dataclass(frozen=True)
class Beat:
    """The part of a worker's report about itself that changes."""

    models: tuple[HeldModel, ...] = ()
    pages_held: int = 0
    pages_done: int = 0
    weight_bytes: int = 0
    """The bytes of weights. This, `runs`, `rows` and `run_s` count a file that several models share once."""
    runs: int = 0
    rows: int = 0
    run_s: float = 0.0
    draining: bool = False
    serving: tuple[str, ...] = ()
    """Models whose queues the worker takes pages from."""
    loading: tuple[str, ...] = ()
    leaving: tuple[str, ...] = ()
    """Models that the worker holds and is about to evict."""
    failed: tuple[str, ...] = ()
    """Models that the worker failed to load a moment ago."""
    pools: tuple[str, ...] = ()
    budget_bytes: int = 0
    free_bytes: int = 0
    files: Mapping[str, int] = field(default_factory=dict)
    """The bytes of each file in memory, by its digest."""
    outstanding: int = 0
    """The number of pages that were taken from queues and have not ended."""
    service_s: Mapping[str, float] = field(default_factory=dict)
    running: Mapping[str, int] = field(default_factory=dict)
    """The pages and calls that it works on, by model."""
    done: Mapping[str, int] = field(default_factory=dict)
    """The pages and calls that it has done since it started, by model."""
    hefts: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """The relative cost of a tenant's pages, by model and tenant, where 1 is a usual page. A missing tenant has 1."""
    look_age_s: float = 0.0
    """Seconds since the worker last finished a look at what it should hold."""

    @property
    def stuck(self) -> bool:
        return self.look_age_s > STUCK_S


@dataclass(frozen=True, kw_only=True)
class WorkerReport(Beat):
    """A heartbeat as other processes read it. Fields that an older worker does not send have defaults."""

    name: str
    pid: int
    provider: str
    threads: int
    seen_at: float
    started_at: float = 0.0
    rss_bytes: int = 0
    start_id: str = ""
    """The id of the process. In a container the next process has the same name."""
    silent_s: float = 0.0
    """Seconds since the worker's last heartbeat, by the clock of Redis. The reader fills it in."""

    @property
    def slots(self) -> int:
        """Return the number of pages that the worker takes at once."""
        return 0 if self.draining else self.threads

    @property
    def loads_first(self) -> bool:
        """Return whether the worker loads its first model."""
        return bool(self.loading) and not self.models

    @property
    def takes_work(self) -> bool:
        return not (self.draining or self.stuck or self.loads_first)

    @property
    def started(self) -> datetime:
        return datetime.fromtimestamp(self.started_at, UTC)

    @property
    def resident(self) -> tuple[str, ...]:
        return tuple(model.key for model in self.models)


def worker_name() -> str:
    return f"{socket.gethostname()}-{os.getpid()}"


class Heartbeat:
    def __init__(self, name: str, provider: str) -> None:
        self.name, self._provider = name, provider
        self._started_at = time.time()
        self._start_id = uuid4().hex
        self._draining = False
        self._redis = single_try(settings.MAAS_REDIS_URL)

    def ordered_to_drain(self) -> bool:
        """Return whether this process is ordered to drain. The last known order holds while Redis is away."""
        key = DRAIN_PREFIX + self.name
        try:
            self._draining = self._redis.get(key) == self._start_id.encode()
            if self._draining:
                self._redis.expire(key, DRAIN_KEPT_S)
        except redis.RedisError as error:
            log.warning("drain_request_not_read", error=str(error))
        return self._draining

    def report(self, beat: Beat) -> WorkerReport:
        return WorkerReport(
            **{part.name: getattr(beat, part.name) for part in fields(Beat)},
            name=self.name,
            pid=os.getpid(),
            provider=self._provider,
            threads=settings.MAAS_WORKER_THREADS,
            seen_at=time.time(),
            started_at=self._started_at,
            rss_bytes=_rss_bytes(),
            start_id=self._start_id,
        )

    def beat(self, beat: Beat) -> None:
        report = json.dumps(asdict(self.report(beat)))
        try:
            with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.set(PREFIX + self.name, report, ex=EXPIRES_S)
                pipeline.sadd(NAMES, self.name)
                pipeline.execute()
        except redis.RedisError as error:
            log.warning("heartbeat_not_sent", error=str(error))

    def end(self) -> None:
        try:
            self._redis.delete(PREFIX + self.name, DRAIN_PREFIX + self.name)
            self._redis.srem(NAMES, self.name)
        except redis.RedisError:
            log.warning("heartbeat_not_removed")


def live_workers() -> list[WorkerReport]:
    """Return the live workers. This is for code that handles requests: it raises RedisError without a retry."""
    return prompt_redis(settings.MAAS_REDIS_URL).ask(_live_workers)


def live_workers_with_long_timeout() -> list[WorkerReport]:
    """Return the live workers, with a longer timeout, for workers and operators. Raises RedisError."""
    return _live_workers(_connection())


def _live_workers(client: "redis.Redis") -> list[WorkerReport]:
    names = sorted(name.decode() for name in cast("set[bytes]", client.smembers(NAMES)))
    if not names:
        return []
    with client.pipeline(transaction=False) as pipeline:
        pipeline.mget([PREFIX + name for name in names])
        for name in names:
            pipeline.pttl(PREFIX + name)
        values, *left_ms = pipeline.execute()
    _forget(client, [name for name, value in zip(names, values, strict=True) if value is None])
    return [
        replace(_report(json.loads(value)), silent_s=max(0.0, EXPIRES_S - left / 1000))
        for value, left in zip(values, left_ms, strict=True)
        if value is not None
    ]


def order_drain(*, name: str, drain: bool) -> bool:
    """Order the living worker of this name to drain or to resume; return False if none is alive."""
    client = _connection()
    report = client.get(PREFIX + name)
    if report is None:
        return False
    if drain:
        client.set(DRAIN_PREFIX + name, _report(json.loads(report)).start_id or "1", ex=DRAIN_KEPT_S)
    else:
        client.delete(DRAIN_PREFIX + name)
    return True


def _forget(client: "redis.Redis", names: list[str]) -> None:
    """Remove the names of dead workers. A worker that was only slow is added again by its next heartbeat."""
    if names:
        client.srem(NAMES, *names)


def _report(sent: Mapping[str, Any]) -> WorkerReport:
    """Build a report from what a worker sent. Unknown fields are ignored, because its version may differ."""
    models = tuple(HeldModel(**_known(HeldModel, model)) for model in sent.get("models", ()))
    return WorkerReport(**{**_known(WorkerReport, sent), "models": models})


def _known(kind: type, sent: Mapping[str, Any]) -> dict[str, Any]:
    return {field.name: sent[field.name] for field in fields(kind) if field.name in sent}


def _rss_bytes() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
