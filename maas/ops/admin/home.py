"""The admin's home page: the current state, gathered from the database, the workers and the cache."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import redis
import structlog
from django.contrib.admin.models import LogEntry

from inference.workers.heartbeats import WorkerReport, live_workers_patiently
from maas.ops.admin.cached_figure import Remembered
from maas.ops.admin.day import JobsOfDay, PagesOfMinute, failures_of_day, jobs_of_day, pages_of_hour
from maas.ops.admin.queues import Queue, among, queues
from maas.ops.admin.storage import Storage, storage_now
from maas.ops.admin.traffic import CacheRedis, RequestsOfMinute, cache_redis_now, requests_by_minute
from tenants.core.db.unit_of_work import operator_work

log = structlog.get_logger(__name__)
MINUTES = 60
TIMEOUT_S = 0.1
"""The timeout for all slow figures together. A small installation counts them within this time, a large one by the next
refresh.
"""
DEEDS_SHOWN = 5

_jobs = Remembered(jobs_of_day, every_s=20)
_failures = Remembered(failures_of_day, every_s=10)
_pages = Remembered(pages_of_hour, every_s=5)
_storage = Remembered(storage_now, every_s=120)


@dataclass(frozen=True)
class Home:
    """The figures of the home page. None means that a figure is still being counted, or that its source does not
    respond.
    """

    minutes: list[int]
    requests: Mapping[int, RequestsOfMinute] | None
    pages: Mapping[int, PagesOfMinute] | None
    queues: list[Queue]
    workers: list[WorkerReport] | None
    jobs: JobsOfDay | None
    failures: Mapping[str, int] | None
    storage: Storage | None
    actions: list[LogEntry]
    cache: CacheRedis | None = None


def gather() -> Home:
    slow = (_jobs, _failures, _pages, _storage)
    for figure in slow:
        figure.refresh()
    minutes = last_minutes(time.time())
    with operator_work():
        waiting, actions = queues(), _actions()
    requests, workers = requests_by_minute(minutes), _workers()
    if workers:
        # If there is no worker at all, the page says so once instead of in every row.
        waiting = among(workers, waiting)
    deadline = time.monotonic() + TIMEOUT_S
    return Home(
        minutes=minutes,
        requests=requests,
        pages=_pages.get(deadline - time.monotonic()),
        queues=waiting,
        workers=workers,
        jobs=_jobs.get(deadline - time.monotonic()),
        failures=_failures.get(deadline - time.monotonic()),
        storage=_storage.get(deadline - time.monotonic()),
        actions=actions,
        cache=None if requests is None else cache_redis_now(),
    )


def last_minutes(now_s: float) -> list[int]:
    """Return the starts of the last hour's minutes, including the current minute."""
    current = int(now_s) // 60 * 60
    return [current - 60 * back for back in reversed(range(MINUTES))]


def _actions() -> list[LogEntry]:
    return list(LogEntry.objects.select_related("user", "content_type").order_by("-id")[:DEEDS_SHOWN])


def _workers() -> list[WorkerReport] | None:
    try:
        return live_workers_patiently()
    except redis.RedisError as error:
        log.warning("workers_not_read", error=str(error))
        return None
