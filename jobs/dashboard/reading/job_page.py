"""Shows a job at one of its pages: the page, what is around it, and what a person may do with the job."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from jobs.core.errors import JobErased
from jobs.core.models import Job
from jobs.dashboard.archives.entries import EntryView
from jobs.dashboard.base.job_view import job_view, may_write
from jobs.dashboard.classes.selectors import ListedSet, listed_sets
from jobs.dashboard.listing.query import ListQuery
from jobs.dashboard.reading.attachments import attachment_views, mail_view
from jobs.dashboard.reading.correcting import correction_views
from jobs.dashboard.reading.facts import downloads, facts, waiting_words
from jobs.dashboard.reading.fields import fields_view
from jobs.dashboard.reading.lines import SURE
from jobs.dashboard.reading.opinions import choices
from jobs.dashboard.reading.outcome import retry_view, tombstone_view
from jobs.dashboard.reading.own_classes import own_class_view
from jobs.dashboard.reading.page_view import json_view, page_view
from jobs.dashboard.reading.progress import Pace, progress_words
from jobs.dashboard.reading.readers import ReaderView, reader_views
from jobs.dashboard.reading.selectors import BeyondTheEnd, Reading, reading
from jobs.dashboard.reading.strip import thumbnails, ways
from jobs.dashboard.reading.tabs import TABS, Tab, tab_of, tabs_of
from jobs.dashboard.reading.timeline import is_loading, job_steps, page_steps, shares, taken_from
from jobs.own_fields.names import known_titles
from jobs.queue.home_queues import home_queue
from jobs.queue.queue_positions import standing_of
from jobs.queue.slots import fleet_of
from jobs.search.queries import parsed
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError, NotFound
from tenants.identity.identity import Identity


@dataclass(frozen=True)
class Address:
    """The page, the open tab and the sought words that the address of a job's page names."""

    number: int
    tab: Tab
    sought: str

    @classmethod
    def of(cls, request: HttpRequest) -> "Address":
        return cls(
            number=_page_number(request.GET.get("page", "1")),
            tab=tab_of(request.GET.get("tab", "")),
            sought=ListQuery.parse({"q": request.GET.get("q", "")}).words,
        )

    @property
    def searching(self) -> str:
        return f"&{urlencode({'q': self.sought})}" if self.sought else ""

    @property
    def keeping(self) -> str:
        """Return what the addresses of other pages have in common with this one."""
        return f"{self.tab.address}{self.searching}"


@dataclass(frozen=True)
class Around:
    """The things around the page, for which the database is asked."""

    readers: Sequence[ReaderView]
    class_sets: Sequence[ListedSet]
    attachments: Sequence[EntryView]
    field_titles: Mapping[str, str]


def shown(request: HttpRequest, identity: Identity, job_id: str, refusal: DomainError | None = None) -> HttpResponse:
    """Return the page of a job. `refusal` is why an action was not carried out."""
    address = Address.of(request)
    try:
        with unit_of_work(identity):
            found = reading(job_id, address.number)
            around = _around(identity, found, whole=request.headers.get("HX-Target") != "leaf")
    except BeyondTheEnd as beyond:
        return redirect(f"{reverse('job-page', args=[job_id])}?page={beyond.last}{address.keeping}")
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    except JobErased as gone:
        context = {"detail": gone.detail, "job": tombstone_view(gone.extra)}
        return render(request, "jobs/reading/erased.html", context, status=410)
    context = {
        **_job_context(found, identity),
        **_page_context(found, address, around, identity),
        "readers": around.readers,
        "class_sets": around.class_sets,
        "attachments": around.attachments,
        "may_write": may_write(identity),
        "refusal": refusal,
    }
    return render(request, "jobs/reading/job_page.html", context, status=409 if refusal else 200)


def _around(identity: Identity, found: Reading, *, whole: bool) -> Around:
    """Read what is around the page. Where only the page is exchanged (not `whole`), the menu of classes stays."""
    may_add = whole and found.job.terminal and may_write(identity)
    return Around(
        readers=reader_views(identity, found.job),
        class_sets=listed_sets(identity) if may_add else (),
        attachments=attachment_views(found),
        field_titles=known_titles(),
    )


def _job_context(found: Reading, identity: Identity) -> dict[str, Any]:
    job, now = found.job, timezone.now()
    view = job_view(job, now)
    return {
        "job": view,
        "failed": found.failed,
        "more_failed": job.pages_failed - len(found.failed),
        "retry": retry_view(found, view.may_retry),
        "job_steps": job_steps(found.events),
        "mail": mail_view(found),
        "progress": progress_words(job, _pace(job), now),
        "waiting": waiting_words(standing_of(job)),
        "facts": facts(found, may_see_keys="keys:read" in identity.scopes),
        "field_corrections": correction_views(job, found.field_corrections),
    }


def _page_context(found: Reading, address: Address, around: Around, identity: Identity) -> dict[str, Any]:
    job, number = found.job, address.number
    page = page_view(found, parsed(address.sought))
    fields = fields_view(job.fields, number, job.id, around.field_titles)
    may_define = bool(page.picture and page.lines) and may_write(identity)
    tabs = tabs_of(has_tables=bool(page.tables), has_fields=fields is not None or may_define)
    # A page without tables shows its text, and the next page with tables shows these again.
    tab = address.tab if address.tab in tabs else TABS[0]
    return {
        "page": page,
        "sought": address.sought,
        "keeping": address.keeping,
        "searching": address.searching,
        "tab": tab,
        "tabs": tabs,
        "fields": fields,
        "may_define": may_define,
        "kinds": choices(page.kind),
        "own_class": own_class_view(found),
        "json": json_view(found) if tab.name == "json" else None,
        "sure_percent": round(100 * SURE),
        "thumbnails": thumbnails(found),
        "ways": ways(number, job.pages_total),
        "page_says_why": job.pages_total == 1 and bool(page.error_detail),
        "downloads": downloads(job, number, has_tables=found.may_have_tables),
        "loading": page.state == "running" and is_loading(found.events, number),
        **_course_context(found, number),
    }


def _course_context(found: Reading, number: int) -> dict[str, Any]:
    """Return the steps of the page, and where its time went."""
    where_time_went = shares(found.events, number)
    return {
        "page_steps": page_steps(found.events, number),
        "taken_from": taken_from(found.events, number),
        "shares": where_time_went,
        "longest_ms": max((share.ms for share in where_time_went), default=0),
    }


def _pace(job: Job) -> Pace:
    fleet = fleet_of(home_queue(job.model_version, job.tenant_id, job.priority))
    return Pace(fleet.service_s, fleet.slots)


def _page_number(text: str) -> int:
    if not text.isdecimal() or not text.isascii() or len(text) > 9:
        raise Http404(f"{text[:20]!r} is not a page number.")
    return int(text)
