"""The tiles of the home page: one number each, with a link."""

from dataclasses import dataclass

from django.template.defaultfilters import pluralize
from django.urls import reverse

from maas.ops.admin.day import since
from maas.ops.admin.home import Home
from maas.ops.admin.queues import COUNTED, LONG_WAIT_S, bounded
from tenants.admin_base.formatting import size
from tenants.core.durations import duration

COUNTING = "…"
GOOD, WATCH, BAD = "good", "watch", "bad"
NOBODY = "No worker accepts pages. Start or resume a worker."
NOT_KNOWN = "unknown: the durable Redis does not answer."


@dataclass(frozen=True)
class Tile:
    key: str
    title: str
    number: str
    note: str
    url: str
    mood: str = ""


def tiles(home: Home) -> list[Tile]:
    return [
        _requests(home),
        _waiting(home),
        _running(home),
        _jobs(home),
        _failed(home),
        _workers(home),
        _batches(home),
        _storage(home),
        _known(home),
    ]


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def list_url(name: str, **filters: object) -> str:
    return reverse(f"admin:{name}_changelist", query=filters)


def _requests(home: Home) -> Tile:
    """Show the last whole minute, because the count of the current minute would always look too small."""
    title, url = "Requests per minute", "#requests"
    if home.requests is None:
        return Tile("requests", title, COUNTING, "The cache Redis does not answer.", url, WATCH)
    last = home.requests.get(home.minutes[-2])
    if last is None or not last.count:
        return Tile("requests", title, "0", "No requests in the last full minute.", url)
    parts = [f"{last.mean_ms:.0f} ms average"] if last.mean_ms is not None else []
    parts += [f"{last.failed:,} failed"] if last.failed else []
    parts += [f"{last.limited:,} rate limited"] if last.limited else []
    return Tile("requests", title, f"{last.count:,}", ", ".join(parts), url, BAD if last.failed else "")


def _waiting(home: Home) -> Tile:
    count = sum(queue.waiting for queue in home.queues)
    longest_s = max((queue.longest_wait_s for queue in home.queues), default=0.0)
    note = f"Longest wait {duration(longest_s)}." if count else "No pages queued."
    mood = WATCH if longest_s > LONG_WAIT_S else ""
    if _nobody_takes(home):
        note, mood = f"{note} {NOBODY}", BAD
    url = list_url("jobs_page", state__exact="queued")
    return Tile("waiting", "Queued pages", _sum(count, home, "waiting"), note, url, mood)


def _running(home: Home) -> Tile:
    count = sum(queue.running for queue in home.queues)
    url, title = list_url("jobs_page", state__exact="running"), "Running pages"
    slots = _slots(home)
    if slots is None:
        note, mood = f"Worker capacity {NOT_KNOWN}", WATCH
    else:
        note, mood = (f"Worker capacity: {slots:,} pages at once.", "") if slots else (NOBODY, WATCH)
    return Tile("running", title, _sum(count, home, "running"), note, url, mood)


def _slots(home: Home) -> int | None:
    """Return the number of pages that all workers together take, or None if it is unknown."""
    return None if home.workers is None else sum(worker.slots for worker in home.workers)


def _nobody_takes(home: Home) -> bool:
    return _slots(home) == 0 and any(queue.waiting for queue in home.queues)


def _sum(count: int, home: Home, field: str) -> str:
    over = any(getattr(queue, field) > COUNTED for queue in home.queues)
    return bounded(COUNTED + 1) if over else f"{count:,}"


def _jobs(home: Home) -> Tile:
    title, url = "Jobs, 24 hours", list_url("jobs_job", **since("created_at"))
    if home.jobs is None:
        return Tile("jobs", title, COUNTING, "Counting.", url)
    tenants = home.jobs.tenants
    note = f"From {tenants:,} tenant{pluralize(tenants)}." if tenants else "No jobs."
    return Tile("jobs", title, f"{home.jobs.total:,}", note, url)


def _failed(home: Home) -> Tile:
    title, url = (
        "Failed pages, 24 hours",
        list_url("jobs_page", state__exact="failed", **since("finished_at")),
    )
    if home.failures is None:
        return Tile("failed", title, COUNTING, "Counting.", url)
    count = sum(home.failures.values())
    note = f"Most frequent: {next(iter(home.failures)) or 'no error code'}." if count else "No failed pages."
    return Tile("failed", title, f"{count:,}", note, url, WATCH if count else GOOD)


def _workers(home: Home) -> Tile:
    title, url = "Workers", reverse("admin:jobs_workers")
    if home.workers is None:
        return Tile("workers", title, COUNTING, _sentence(NOT_KNOWN), url, BAD)
    draining = sum(worker.draining for worker in home.workers)
    if not home.workers:
        return Tile("workers", title, "0", "Start a worker: jobs wait until then.", url, BAD)
    memory = size(sum(worker.rss_bytes for worker in home.workers))
    note = f"{memory} memory" + (f", {draining} draining" if draining else "")
    mood = WATCH if draining else GOOD
    if draining == len(home.workers):
        note, mood = (
            "All are draining. Resume a worker: pages wait until then.",
            BAD if _nobody_takes(home) else WATCH,
        )
    return Tile("workers", title, f"{len(home.workers):,}", note, url, mood)


def _batches(home: Home) -> Tile:
    """Show the mean over all model files in memory since each was loaded. A file that models share counts once."""
    title, url = "Batch size", reverse("admin:jobs_workers")
    if home.workers is None:
        return Tile("batches", title, "–", _sentence(NOT_KNOWN), url, WATCH)
    runs, rows = sum(worker.runs for worker in home.workers), sum(worker.rows for worker in home.workers)
    if not runs:
        return Tile("batches", title, "–", "No model runs yet.", url)
    ms = 1000 * sum(worker.run_s for worker in home.workers) / runs
    return Tile("batches", title, f"{rows / runs:.1f}", f"{ms:.0f} ms per run, {runs:,} runs", url)


def _storage(home: Home) -> Tile:
    title, url = "Stored documents", list_url("jobs_document", deleted_at__isempty=1)
    if home.storage is None:
        return Tile("storage", title, COUNTING, "Counting.", url)
    kept = home.storage
    if kept.free_bytes is None or not kept.volume_bytes:
        return Tile("storage", title, size(kept.total_bytes), f"{kept.documents:,} documents", url)
    tight = kept.free_bytes < kept.volume_bytes / 10
    free = f"{size(kept.free_bytes)} free on the disk"
    return Tile("storage", title, size(kept.total_bytes), free, url, BAD if tight else "")


def _known(home: Home) -> Tile:
    """Show the share of cache hits among calls and jobs that looked in the cache, and the memory of the cache Redis."""
    title = "Cache hits, last hour"
    url = list_url("tenants_usagerecord", source_kind__exact="cache", **since("created_at"))
    if home.requests is None:
        return Tile("known", title, "–", "The cache Redis does not answer.", url, WATCH)
    hits, shared, misses = (
        sum(getattr(minute, name) for minute in home.requests.values()) for name in ("hits", "shared", "misses")
    )
    parts = [f"{hits:,} hits, {shared:,} shared, {misses:,} misses"]
    if home.cache is not None:
        parts.append(f"cache Redis {size(home.cache.used_bytes)}, {home.cache.evicted:,} evicted")
    total = hits + shared + misses
    number = f"{100 * (hits + shared) / total:.0f} %" if total else "–"
    return Tile("known", title, number, "; ".join(parts), url)
