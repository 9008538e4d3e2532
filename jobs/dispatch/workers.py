"""Tells the others that this worker lives and what it holds, by an expiring key in Redis."""

import json
import os
import socket
import time
from dataclasses import asdict, dataclass
from functools import cache

import redis
import structlog
from django.conf import settings

log = structlog.get_logger(__name__)
PREFIX = "maas:worker:"
EXPIRES_S = 10


@cache
def _connection() -> "redis.Redis":
    return redis.Redis.from_url(settings.MAAS_REDIS_URL, socket_timeout=2, socket_connect_timeout=2)


@dataclass(frozen=True)
class WorkerReport:
    name: str
    pid: int
    provider: str
    resident: tuple[str, ...]
    pages_held: int
    threads: int
    seen_at: float


def worker_name() -> str:
    return f"{socket.gethostname()}-{os.getpid()}"


class Heartbeat:
    def __init__(self, name: str, provider: str) -> None:
        self._name, self._provider = name, provider
        self._redis = redis.Redis.from_url(
            settings.MAAS_REDIS_URL, socket_timeout=2, socket_connect_timeout=2
        )

    def beat(self, *, resident: tuple[str, ...], pages_held: int) -> None:
        report = WorkerReport(
            self._name,
            os.getpid(),
            self._provider,
            resident,
            pages_held,
            settings.MAAS_WORKER_THREADS,
            time.time(),
        )
        try:
            self._redis.set(PREFIX + self._name, json.dumps(asdict(report)), ex=EXPIRES_S)
        except redis.RedisError as error:
            log.warning("heartbeat_not_sent", error=str(error))

    def end(self) -> None:
        try:
            self._redis.delete(PREFIX + self._name)
        except redis.RedisError:
            log.warning("heartbeat_not_withdrawn")


def live_workers() -> list[WorkerReport]:
    client = _connection()
    keys = sorted(client.scan_iter(f"{PREFIX}*", count=100))
    raw = [value for value in client.mget(keys) if value] if keys else []
    return [
        WorkerReport(**{**json.loads(value), "resident": tuple(json.loads(value)["resident"])})
        for value in raw
    ]
