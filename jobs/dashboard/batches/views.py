"""Batches: the list with the progress of each batch, and a way to end a batch."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from jobs.batches.errors import BatchFinished
from jobs.batches.ids import BATCH, read_id
from jobs.batches.models import Batch, StoredFile
from jobs.batches.selectors import with_models
from jobs.batches.services import cancel_batch
from jobs.dashboard.batches.batch_view import BatchView, batch_view
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import NotFound
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity

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
    """Return the batches, newest first, and whether there are older ones."""
    with unit_of_work(identity):
        batches = with_models(Batch.objects.order_by("-id"))
        last = read_id(BATCH, before)
        found = list((batches.filter(id__lt=last) if last else batches)[: SHOWN + 1])
        named = [one for batch in found for one in (batch.output_file_id, batch.error_file_id) if one]
        kept = frozenset(StoredFile.objects.filter(id__in=named).values_list("id", flat=True))
    now = timezone.now()
    return [batch_view(batch, kept, now) for batch in found[:SHOWN]], len(found) > SHOWN
