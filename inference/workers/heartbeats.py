"""Tells the others that this worker lives, what it holds and what it does, by expiring keys in Redis."""

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
"""A set of all names, so that nobody has to look through every key of the server."""
DRAIN_PREFIX = "maas:drain:"
BEAT_S = 1.0
EXPIRES_S = 5
STUCK_S = 30.0
"""A look takes milliseconds, and ends when Redis or the database do not answer."""
DRAIN_KEPT_S = 86_400
"""Renewed for as long as it is obeyed. A worker that is killed never withdraws its own."""


@cache
def _connection() -> "redis.Redis":
    return single_try(settings.MAAS_REDIS_URL)


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
    """What a worker tells of itself that changes."""

    models: tuple[HeldModel, ...] = ()
    pages_held: int = 0
    pages_done: int = 0
    weight_bytes: int = 0
    """This, `runs`, `rows` and `run_s` count once what several models share."""
    runs: int = 0
    rows: int = 0
    run_s: float = 0.0
    draining: bool = False
    serving: tuple[str, ...] = ()
    """Models whose queues it takes pages from."""
    loading: tuple[str, ...] = ()
    leaving: tuple[str, ...] = ()
    """Models that it holds and is about to give up."""
    failed: tuple[str, ...] = ()
    """Models that it tried to load a moment ago, and could not."""
    pools: tuple[str, ...] = ()
    budget_bytes: int = 0
    free_bytes: int = 0
    files: Mapping[str, int] = field(default_factory=dict)
    """Bytes of each file in memory, by its digest."""
    outstanding: int = 0
    """Pages taken from queues and not ended."""
    service_s: Mapping[str, float] = field(default_factory=dict)
    hefts: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By model and tenant: how many usual pages one of theirs is. Of who is missing, one."""
    look_age_s: float = 0.0
    """Since it last finished a look at what it should hold."""

    @property
    def stuck(self) -> bool:
        return self.look_age_s > STUCK_S


@dataclass(frozen=True, kw_only=True)
class WorkerReport(Beat):
    """A beat as others read it. Fields that an older worker does not send have defaults."""

    name: str
    pid: int
    provider: str
    threads: int
    seen_at: float
    started_at: float = 0.0
    rss_bytes: int = 0
    start_id: str = ""
    """Of the process: in a container the next one has the same name."""
    silent_s: float = 0.0
    """Since its last beat, by the clock of Redis; filled in by whoever reads."""

    @property
    def slots(self) -> int:
        """How many pages it takes at once."""
        return 0 if self.draining else self.threads

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
        """What was last heard stands while Redis is away. An order to another process of this name is not ours."""
        key = DRAIN_PREFIX + self.name
        try:
            self._draining = self._redis.get(key) == self._start_id.encode()
            if self._draining:
                self._redis.expire(key, DRAIN_KEPT_S)
        except redis.RedisError as error:
            log.warning("drain_order_not_read", error=str(error))
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
            log.warning("heartbeat_not_withdrawn")


def live_workers() -> list[WorkerReport]:
    """Raises RedisError, at once: it is asked on the way of requests."""
    return prompt_redis(settings.MAAS_REDIS_URL).ask(_live_workers)


def live_workers_patiently() -> list[WorkerReport]:
    """For workers, who would take all others for dead, and for operators, who ask seldom. Raises RedisError."""
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
    """Heard at the next beat of the process that is alive now. False when there is none."""
    client = _connection()
    told = client.get(PREFIX + name)
    if told is None:
        return False
    if drain:
        client.set(DRAIN_PREFIX + name, _report(json.loads(told)).start_id or "1", ex=DRAIN_KEPT_S)
    else:
        client.delete(DRAIN_PREFIX + name)
    return True


def _forget(client: "redis.Redis", names: list[str]) -> None:
    """The dead; one that only was slow comes back with its next beat."""
    if names:
        client.srem(NAMES, *names)


def _report(sent: Mapping[str, Any]) -> WorkerReport:
    """During an upgrade workers of two versions beat at once: what is not known here is left out."""
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
