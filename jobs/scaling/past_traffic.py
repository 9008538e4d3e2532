"""The pages of the last days as a trace for simulations: when each came, to which pool, and how much work it was."""

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

import numpy as np
import numpy.typing as npt
from django.db import connections, transaction

from inference.scaling.signal import DEFAULT_POOL
from tenants.core.db.unit_of_work import OPERATOR, operator_work

Numbers = npt.NDArray[np.float64]
AT_ONCE = 50_000

# Pages with a cache hit, and pages that waited for the same page of another job, were no work.
_PAGES = """
SELECT coalesce(page.pool, pool.name, %(default)s), page.worker, extract(epoch FROM page.created_at)::float8,
    extract(epoch FROM page.started_at)::float8, extract(epoch FROM page.finished_at)::float8
FROM jobs_page page
JOIN inference_modelversion version ON version.id = page.model_version_id
JOIN inference_servedmodel served ON served.id = version.served_model_id
LEFT JOIN inference_modelpool pool ON pool.id = served.pool_id
WHERE page.created_at > clock_timestamp() - make_interval(secs => %(last_s)s)
    AND page.finished_at > page.started_at AND NOT page.cached
"""


@dataclass(slots=True)
class _Pages:
    """The pages of a pool. The workers are numbers, in the order in which they were seen."""

    workers: "array[int]" = field(default_factory=lambda: array("q"))
    came: "array[float]" = field(default_factory=lambda: array("d"))
    begun: "array[float]" = field(default_factory=lambda: array("d"))
    ended: "array[float]" = field(default_factory=lambda: array("d"))


def past_pages(last: timedelta) -> dict[str, tuple[Numbers, Numbers]]:
    """Return the times at which pages came and their work, by pool. Calls are not recorded one by one.

    A worker does several pages at once. So the work of a page is its time, divided by the mean number of pages that the
    worker had while it had any.
    """
    pools: dict[str, _Pages] = {}
    numbers: dict[str, int] = {}
    for pool, worker, came_s, begun_s, ended_s in _rows(last):
        pages = pools.setdefault(pool, _Pages())
        pages.workers.append(numbers.setdefault(worker, len(numbers)))
        pages.came.append(came_s)
        pages.begun.append(begun_s)
        pages.ended.append(ended_s)
    return {pool: (np.array(pages.came), work) for pool, (pages, work) in _with_work(pools).items()}


def _rows(last: timedelta) -> Iterator[tuple[str, str, float, float, float]]:
    with (
        operator_work(),
        transaction.atomic(using=OPERATOR),
        connections[OPERATOR].chunked_cursor() as cursor,
    ):
        cursor.execute(_PAGES, {"default": DEFAULT_POOL, "last_s": last.total_seconds()})
        while rows := cursor.fetchmany(AT_ONCE):
            yield from rows


def _with_work(pools: Mapping[str, _Pages]) -> dict[str, tuple[_Pages, Numbers]]:
    """Return the pages with their work. A worker may have pages of several pools at once."""
    every = [np.array(pages.workers) for pages in pools.values()]
    if not every:
        return {}
    workers = np.concatenate(every)
    begun = np.concatenate([np.array(pages.begun) for pages in pools.values()])
    ended = np.concatenate([np.array(pages.ended) for pages in pools.values()])
    at_once = np.ones(int(workers.max()) + 1)
    for worker in range(len(at_once)):
        own = workers == worker
        at_once[worker] = pages_at_once(begun[own], ended[own])
    return {
        pool: (pages, (np.array(pages.ended) - np.array(pages.begun)) / at_once[np.array(pages.workers)])
        for pool, pages in pools.items()
    }


def pages_at_once(begun: Numbers, ended: Numbers) -> float:
    """Return how many of these times pass at once on average, while any does."""
    order = np.argsort(begun)
    work_s = float((ended - begun).sum())
    begun, latest = begun[order], np.maximum.accumulate(ended[order])
    # A time without any begins where the next one starts after all earlier ones have ended.
    idle_s = float(np.clip(begun[1:] - latest[:-1], 0.0, None).sum())
    busy_s = float(latest[-1] - begun[0]) - idle_s
    return max(1.0, work_s / busy_s) if busy_s > 0 else 1.0
