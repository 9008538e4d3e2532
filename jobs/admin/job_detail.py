"""The parts of a job's page beside its own row: its pages, its log, and the jobs that it retries or that retry it."""

from dataclasses import dataclass
from typing import Any

from jobs.admin.events import details_of
from jobs.core.models import Event, Job, Page
from jobs.dashboard.base.wording import due_words
from jobs.dashboard.reading.waiting_texts import waiting_words
from jobs.queue.queue_positions import standing_of
from tenants.admin_base.formatting import between
from tenants.api_keys.models import ApiKey
from tenants.billing.dashboard.money import shown_money
from tenants.core.durations import duration

PAGES_SHOWN = 100
EVENTS_SHOWN = 500
CHAIN_SHOWN = 10


@dataclass(frozen=True)
class Run:
    """A page, and how long it took if it ran."""

    page: Page
    took: str


@dataclass(frozen=True)
class Happening:
    """An event, and the time since the previous event."""

    event: Event
    details: str
    after: str


def detail_of(job: Job) -> dict[str, Any]:
    return {
        "job": job,
        "runs": _runs(job),
        "pages_shown": PAGES_SHOWN,
        "happenings": _happenings(job),
        "events_shown": EVENTS_SHOWN,
        "chain": [*_before(job), job, *_after(job)],
        "api_key": ApiKey.objects.filter(id=job.api_key_id).first() if job.api_key_id else None,
        "waited": between(job.created_at, job.started_at),
        "ran": between(job.started_at, job.finished_at),
        "open": not job.terminal,
        "waiting": waiting_words(standing_of(job)),
        "due": due_words(job),
        "cost": shown_money(job.cost_micros, job.currency),
    }


def _runs(job: Job) -> list[Run]:
    pages = Page.objects.filter(job=job).defer("result").order_by("number")[:PAGES_SHOWN]
    return [Run(page, between(page.started_at, page.finished_at)) for page in pages]


def _happenings(job: Job) -> list[Happening]:
    """Return the events, the newest first, each with the time since the previous event."""
    events = list(Event.objects.filter(job=job).order_by("-seq")[: EVENTS_SHOWN + 1])
    found = []
    for event, earlier in zip(events, [*events[1:], None], strict=True):
        gap_s = (event.created_at - earlier.created_at).total_seconds() if earlier else 0.0
        found.append(
            Happening(event, details_of(event, job.currency), f"+{duration(gap_s)}" if earlier else "")
        )
    return found[:EVENTS_SHOWN]


def _before(job: Job) -> list[Job]:
    chain: list[Job] = []
    previous = job.retry_of_id
    while previous is not None and len(chain) < CHAIN_SHOWN:
        earlier = Job.objects.defer("input").filter(id=previous).first()
        if earlier is None:
            break
        chain.insert(0, earlier)
        previous = earlier.retry_of_id
    return chain


def _after(job: Job) -> list[Job]:
    return list(Job.objects.defer("input").filter(retry_of=job).order_by("id")[:CHAIN_SHOWN])
