"""The operator's view of the event log, and the parts of a job's page beside its own row."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter

from jobs.admin.records import WorkAdmin
from jobs.core.models import Event, Job, Page
from jobs.dashboard.base.wording import due_words
from jobs.dashboard.reading.facts import waiting_words
from jobs.queue.queue_positions import standing_of
from tenants.admin_base.columns import column
from tenants.admin_base.formatting import ago, at, between, link, short
from tenants.api_keys.models import ApiKey
from tenants.billing.dashboard.money import shown_money
from tenants.core.durations import duration
from tenants.plans.wording import exact_money


@admin.register(Event)
class EventAdmin(WorkAdmin):
    id_fields = ("job_id", "tenant_id")
    search_help_text = _("Whole ID of a job, or tenant")
    list_display = ("type", "job_link", "number", "details", "owner", "when")
    list_filter = (("tenant", AutocompleteSelectFilter),)
    fields = ("type", "job_link", "number", "details", "owner", "created_at", "id")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Event]:
        """Add the currency of its job, which may have been erased."""
        of_job = Job.objects.filter(id=OuterRef("job_id")).values("currency")
        found: QuerySet[Event] = super().get_queryset(request).annotate(currency=Subquery(of_job))
        return found

    @column(_("job"))
    def job_link(self, event: Event) -> str:
        return link("jobs_job", event.job_id, short(event.job_id))

    @column(_("sequence number"))
    def number(self, event: Event) -> int:
        return event.seq

    @column(_("details"))
    def details(self, event: Event) -> str:
        return details_of(event, getattr(event, "currency", None) or "")

    @column(_("time"), order_by="id")
    def when(self, event: Event) -> str:
        return ago(event.created_at)


def details_of(event: Event, currency: str) -> str:
    """Describe what the type does not say already. Costs are in the currency of the job."""
    texts = (_in_words(name, value, currency) for name, value in event.data.items() if name != "state")
    return ", ".join(text for text in texts if text)


def _in_words(name: str, value: Any, currency: str) -> str:
    label = name.replace("_", " ")
    if name == "timings":
        steps = ((step.removesuffix("_ms"), ms) for step, ms in value.items())
        return ", ".join(f"{step} {duration(ms / 1000)}" for step, ms in steps)
    if name == "error" and isinstance(value, dict):
        return f"{value.get('code', '')}: {value.get('detail', '')}".strip(": ")
    if name == "cost_micros":
        return f"cost {exact_money(value, currency)}"
    if name.endswith("_at") and isinstance(value, str):
        return f"{label.removesuffix(' at')} of {at(datetime.fromisoformat(value))}"
    return _plainly(label, value, currency)


def _plainly(label: str, value: Any, currency: str) -> str:
    match value:
        case bool():
            return label if value else f"not {label}"
        case dict():
            return ", ".join(_in_words(inner, part, currency) for inner, part in value.items())
    return f"{label} {value}"


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
    events = list(Event.objects.filter(job=job).order_by("-seq")[: EVENTS_SHOWN + 1])
    found = []
    for event, earlier in zip(events, [*events[1:], None], strict=True):
        gap_s = (event.created_at - earlier.created_at).total_seconds() if earlier else 0.0
        found.append(Happening(event, details_of(event, job.currency), f"+{duration(gap_s)}" if earlier else ""))
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
