"""Archives: the list, and one archive with the outcome of each of its entries."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from jobs.archives import states
from jobs.archives.errors import ArchiveFinished
from jobs.archives.models import Archive, ArchiveEntry
from jobs.archives.selectors import archives_newest_first, get_archive, tallies_of
from jobs.archives.services import cancel_archive
from jobs.core.models import Job
from jobs.dashboard.archives.archive_view import ArchiveView, EntryView, archive_view, entry_view
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import NotFound
from tenants.core.ids import as_uuid
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity

SHOWN = 50
ENTRIES_SHOWN = 200
MAX_DIGITS = 9


@require_safe
@members_only
def archive_list(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("documents:read")
    before = request.GET.get("before", "")
    views, more = _page(identity, before)
    context = {
        "archives": views,
        "before": before,
        "older": views[-1].id if more else "",
        "unfinished": any(view.unfinished for view in views),
    }
    only_rows = request.headers.get("HX-Target") == "archives"
    return render(request, f"jobs/archives/{'archive_table' if only_rows else 'archive_list'}.html", context)


@require_safe
@members_only
def archive_page(request: HttpRequest, identity: Identity, archive_id: str) -> HttpResponse:
    identity.require("documents:read")
    after = _number(request.GET.get("after", ""))
    try:
        with unit_of_work(identity):
            archive = get_archive(archive_id)
            tally = tallies_of([archive])[archive.id]
            entries = list(archive.entries.filter(number__gt=after).order_by("number")[: ENTRIES_SHOWN + 1])
            views = _entries(entries[:ENTRIES_SHOWN])
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    shown = archive_view(archive, tally, timezone.now())
    context = {
        "archive": shown,
        "live": shown.unfinished or any(view.job_unfinished for view in views),
        "entries": views,
        "after": after,
        "onward": views[-1].number if len(entries) > ENTRIES_SHOWN else 0,
        "may_cancel": archive.state == states.UNPACKING and "documents:write" in identity.scopes,
    }
    only_part = request.headers.get("HX-Target") == "archive"
    return render(request, f"jobs/archives/{'archive_part' if only_part else 'archive_page'}.html", context)


@require_POST
@members_only
def archive_cancel(request: HttpRequest, identity: Identity, archive_id: str) -> HttpResponse:
    identity.require("documents:write")
    try:
        archive = cancel_archive(identity=identity, archive_id=archive_id)
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    except ArchiveFinished as refusal:
        messages.warning(request, refusal.detail)
        return redirect("archive", archive_id)
    return redirect("archive", archive.id)


def _page(identity: Identity, before: str) -> tuple[list[ArchiveView], bool]:
    """Return the archives, newest first, and whether there are older ones."""
    with unit_of_work(identity):
        archives = archives_newest_first()
        last = as_uuid(before)
        found: list[Archive] = list((archives.filter(id__lt=last) if last else archives)[: SHOWN + 1])
        tallies = tallies_of(found[:SHOWN])
    now = timezone.now()
    return [archive_view(one, tallies[one.id], now) for one in found[:SHOWN]], len(found) > SHOWN


def _entries(entries: Sequence[ArchiveEntry]) -> list[EntryView]:
    """Return the views of entries, with the states of their jobs. Call this in the tenant's unit of work."""
    named = [entry.job_id for entry in entries if entry.job_id is not None]
    of_jobs = dict(Job.objects.filter(id__in=named).values_list("id", "state"))
    return [
        entry_view(entry, of_jobs.get(entry.job_id, "") if entry.job_id is not None else "")
        for entry in entries
    ]


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS else 0
