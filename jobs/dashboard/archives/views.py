"""Archives: the list, and one archive with the outcome of each of its entries."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from jobs.archives.errors import ArchiveFinished
from jobs.archives.selectors import Tally, archives_newest_first, get_archive, tallies_of
from jobs.archives.services import cancel_archive
from jobs.core import archive_states as states
from jobs.core.models.archives import Archive
from jobs.core.priorities import NAMES
from jobs.dashboard.archives.entries import TONES, entry_views
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import NotFound
from tenants.core.ids import as_uuid
from tenants.dashboard_base.members import members_only
from tenants.dashboard_base.wording import ago, whole
from tenants.identity.identity import Identity


@dataclass(frozen=True)
class ArchiveView:
    id: UUID
    name: str
    model: str
    priority: str
    state: str
    tone: str
    unfinished: bool
    opened: int
    total: int
    count: str
    counts: str
    """The outcomes of the entries that were opened: `3 done, 1 skipped`. Failed entries are shown beside it."""
    failed: str
    """The number of failed entries. It is empty if none failed."""
    trouble: str
    waiting_code: str
    """The code of what the archive waits for. It is empty if the work goes on."""
    size_bytes: int
    sent_at: datetime
    sent: str


def archive_view(archive: Archive, tally: Tally, now: datetime) -> ArchiveView:
    opened = tally.total - tally.waiting
    ends = [
        (tally.done, "done"),
        (tally.skipped, "skipped"),
        (tally.canceled, "canceled"),
    ]
    return ArchiveView(
        id=archive.id,
        name=archive.name,
        model=archive.model,
        priority=NAMES[archive.priority],
        state=archive.state,
        tone=TONES.get(archive.state, ""),
        unfinished=archive.state == states.UNPACKING,
        opened=opened,
        total=tally.total,
        count=f"{whole(opened)} of {whole(tally.total)}",
        counts=", ".join(f"{whole(count)} {end}" for count, end in ends if count),
        failed=f"{whole(tally.failed)} failed" if tally.failed else "",
        trouble=archive.error_detail or archive.error_code,
        waiting_code=archive.waiting_code,
        size_bytes=archive.size_bytes,
        sent_at=archive.created_at,
        sent=ago(archive.created_at, now),
    )


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
            views = entry_views(entries[:ENTRIES_SHOWN])
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
    with unit_of_work(identity):
        archives = archives_newest_first()
        last = as_uuid(before)
        found: list[Archive] = list((archives.filter(id__lt=last) if last else archives)[: SHOWN + 1])
        tallies = tallies_of(found[:SHOWN])
    now = timezone.now()
    return [archive_view(archive, tallies[archive.id], now) for archive in found[:SHOWN]], len(found) > SHOWN


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS else 0
