"""The admin's home page: the current state, gathered from the database, the workers, the storage and the cache."""

import shutil
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar
from uuid import UUID

import redis
import structlog
from django.contrib.admin.models import LogEntry
from django.core.files.storage import FileSystemStorage, storages
from django.db import connections

from inference.workers.heartbeats import WorkerReport, live_workers_with_long_timeout
from maas.ops.admin.day import (
    CacheRedis,
    JobsOfDay,
    PagesOfMinute,
    RequestsOfMinute,
    cache_redis_now,
    failures_of_day,
    jobs_of_day,
    pages_of_hour,
    requests_by_minute,
)
from maas.ops.admin.queues import Queue, among, queues
from tenants.core.db.unit_of_work import OPERATOR, operator_work

log = structlog.get_logger(__name__)
Figure = TypeVar("Figure")


class Remembered(Generic[Figure]):
    """A figure that each web process counts for itself, and only while the page is open."""

    def __init__(
        self, count: Callable[[], Figure], *, every_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._count = count
        self._every_s = every_s
        self._clock = clock
        self._figure: Figure | None = None
        self._counted_s = float("-inf")
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def refresh(self) -> None:
        """Start to count if the last count is old enough and no other count is in progress."""
        with self._lock:
            if self._clock() - self._counted_s >= self._every_s and self._thread is None:
                self._thread = threading.Thread(target=self._run, name="figures", daemon=True)
                self._thread.start()

    def get(self, timeout_s: float = 0.0) -> Figure | None:
        """Return the last count, or None before the first. Wait up to `timeout_s` for a count in progress."""
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join(timeout=max(0.0, timeout_s))
        return self._figure

    def _run(self) -> None:
        try:
            with operator_work():
                self._figure = self._count()
        except Exception:
            # The last figure stays. The next refresh tries again.
            log.exception("admin_statistic_failed", statistic=self._count.__name__)
        finally:
            connections.close_all()
            with self._lock:
                self._counted_s, self._thread = self._clock(), None


SHOWN = 10

_BY_TENANT = """
WITH kept AS (
    SELECT tenant_id, sum(size_bytes) AS bytes, count(*) AS documents FROM jobs_document
    WHERE deleted_at IS NULL GROUP BY tenant_id
)
SELECT k.tenant_id, t.name, k.bytes, k.documents, sum(k.bytes) OVER (), sum(k.documents) OVER ()
FROM kept k JOIN tenants_tenant t ON t.id = k.tenant_id ORDER BY k.bytes DESC LIMIT %s
"""


@dataclass(frozen=True)
class TenantBytes:
    tenant_id: UUID
    name: str
    size_bytes: int
    documents: int


@dataclass(frozen=True)
class Storage:
    total_bytes: int
    documents: int
    by_tenant: list[TenantBytes]
    free_bytes: int | None
    """The free bytes, or None if the files are not in a local folder, so that the number is unknown."""
    volume_bytes: int | None


def storage_now() -> Storage:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_BY_TENANT, [SHOWN])
        rows = cursor.fetchall()
    total, documents = (int(rows[0][4]), int(rows[0][5])) if rows else (0, 0)
    largest = [TenantBytes(row[0], row[1], int(row[2]), row[3]) for row in rows]
    free_bytes, volume_bytes = _volume()
    return Storage(total, documents, largest, free_bytes, volume_bytes)


def _volume() -> tuple[int | None, int | None]:
    files = storages["default"]
    if not isinstance(files, FileSystemStorage):
        return None, None
    folder = Path(files.path("")).absolute()
    # If nothing has been stored yet, the folder does not exist. It will be on the volume of its nearest existing
    # parent.
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    usage = shutil.disk_usage(there)
    return usage.free, usage.total


MINUTES = 60
TIMEOUT_S = 0.1
"""The timeout for all slow figures together. A large installation counts them by the next refresh."""
DEEDS_SHOWN = 5

_jobs = Remembered(jobs_of_day, every_s=20)
_failures = Remembered(failures_of_day, every_s=10)
_pages = Remembered(pages_of_hour, every_s=5)
_storage = Remembered(storage_now, every_s=120)


@dataclass(frozen=True)
class Home:
    """The figures of the home page. None means that a figure is being counted, or that its source does not respond."""

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
        return live_workers_with_long_timeout()
    except redis.RedisError as error:
        log.warning("workers_not_read", error=str(error))
        return None
