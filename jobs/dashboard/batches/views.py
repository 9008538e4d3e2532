"""Batches: the list with the progress of each batch, and a way to end a batch."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from jobs.batches import states
from jobs.batches.errors import BatchFinished
from jobs.batches.ids import BATCH, FILE, read_id, shown
from jobs.batches.models import Batch, StoredFile
from jobs.batches.selectors import with_models
from jobs.batches.services import cancel_batch
from jobs.dashboard.base.wording import state_words
from tenants.billing.dashboard.money import shown_money
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import NotFound
from tenants.dashboard_base.members import members_only
from tenants.dashboard_base.wording import ago, whole
from tenants.identity.identity import Identity

_TONES: Mapping[str, str] = {
    states.COMPLETED: "good",
    states.FAILED: "bad",
    states.EXPIRED: "bad",
    states.VALIDATING: "wait",
    states.CANCELLING: "wait",
    states.IN_PROGRESS: "wait",
    states.FINALIZING: "wait",
}
FAULTS_SHOWN = 3


@dataclass(frozen=True)
class BatchView:
    id: str
    endpoint: str
    model: str
    state: str
    tone: str
    unfinished: bool
    may_cancel: bool
    done: int
    total: int
    lines: str
    failed: str
    faults: tuple[str, ...]
    more_faults: int
    cost: str
    sent_at: datetime
    sent: str
    output: str
    errors: str
    """The URLs of its files. A URL is empty if there is no file, or none any more."""


def batch_view(batch: Batch, kept: frozenset[UUID], now: datetime) -> BatchView:
    """Return the view of a batch. `kept` are the files that have not expired yet."""
    faults = [_fault(fault) for fault in batch.errors or []]
    return BatchView(
        id=shown(BATCH, batch.id),
        endpoint=batch.endpoint,
        model=batch.model_version.key if batch.model_version else "",
        state=state_words(batch.status),
        tone=_TONES.get(batch.status, ""),
        unfinished=not batch.finished,
        may_cancel=batch.status in states.CANCELLABLE and not batch.ending,
        done=batch.lines_done,
        total=batch.lines_total,
        lines=f"{whole(batch.lines_done)} of {whole(batch.lines_total)}" if batch.lines_total else "",
        failed=f"{whole(batch.lines_failed)} failed" if batch.lines_failed else "",
        faults=tuple(faults[:FAULTS_SHOWN]),
        more_faults=max(0, len(faults) - FAULTS_SHOWN),
        cost=shown_money(batch.cost_micros, batch.price["currency"]) if batch.price else "",
        sent_at=batch.created_at,
        sent=ago(batch.created_at, now),
        output=_address(batch.output_file_id, kept),
        errors=_address(batch.error_file_id, kept),
    )


def _fault(fault: Mapping[str, object]) -> str:
    return f"Line {fault['line']}: {fault['message']}" if fault["line"] else str(fault["message"])


def _address(file_id: UUID | None, kept: frozenset[UUID]) -> str:
    return f"/v1/files/{shown(FILE, file_id)}/content" if file_id in kept and file_id is not None else ""


SHOWN = 50


@require_safe
@members_only
def batch_list(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("jobs:read")
    before = request.GET.get("before", "")
    views, more = _page(identity, before)
    context = {
        "batches": views,
        "before": before,
        "older": views[-1].id if more else "",
        "unfinished": any(view.unfinished for view in views),
        "may_write": "jobs:write" in identity.scopes,
        "may_read_files": "documents:read" in identity.scopes,
    }
    only_rows = request.headers.get("HX-Target") == "batches"
    return render(request, f"jobs/batches/{'batch_table' if only_rows else 'batch_list'}.html", context)


@require_POST
@members_only
def batch_cancel(request: HttpRequest, identity: Identity, batch_id: str) -> HttpResponse:
    identity.require("jobs:write")
    try:
        cancel_batch(identity=identity, batch_id=batch_id)
    except NotFound as missing:
        raise Http404(missing.detail) from missing
    except BatchFinished as refusal:
        messages.warning(request, refusal.detail)
    return redirect("batch-list")


def _page(identity: Identity, before: str) -> tuple[list[BatchView], bool]:
    with unit_of_work(identity):
        batches = with_models(Batch.objects.order_by("-id"))
        last = read_id(BATCH, before)
        found = list((batches.filter(id__lt=last) if last else batches)[: SHOWN + 1])
        named = [file_id for batch in found for file_id in (batch.output_file_id, batch.error_file_id) if file_id]
        kept = frozenset(StoredFile.objects.filter(id__in=named).values_list("id", flat=True))
    now = timezone.now()
    return [batch_view(batch, kept, now) for batch in found[:SHOWN]], len(found) > SHOWN
