"""The dashboard page of changes in the account with their authors, and its download as a file."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from tenants.audit.actions import KINDS
from tenants.audit.entry_display import EntryDisplay, as_csv
from tenants.audit.selectors import (
    ANY_KEY,
    MAX_EXPORTED,
    THE_OPERATOR,
    THE_SERVICE,
    AuditFilter,
    audit_entries,
)
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.ids import as_uuid
from tenants.dashboard.log.selectors import names_of_people
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity

AT_ONCE = 50
GROUPS = (
    (ANY_KEY, "API keys"),
    (THE_OPERATOR, "The operator"),
    (THE_SERVICE, "The service"),
)


@require_safe
@members_only
def audit_log(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("audit:read")
    wanted, fault = _asked(request)
    before = _cursor(request.GET.get("before", ""))
    with unit_of_work(identity.tenant_id):
        rows = audit_entries(wanted)
        found = list((rows.filter(id__lt=before) if before else rows)[: AT_ONCE + 1])
        people = names_of_people()
    context = {
        "entries": [EntryDisplay(entry) for entry in found[:AT_ONCE]],
        "older": str(found[AT_ONCE - 1].id) if len(found) > AT_ONCE else "",
        "before": before,
        "filter": wanted,
        "fault": fault,
        "kinds": KINDS.items(),
        "groups": GROUPS,
        "people": sorted(people.items(), key=lambda pair: pair[1]),
        "max_exported": f"{MAX_EXPORTED:,}",
    }
    return render(request, "tenants/audit/audit_log.html", context, status=400 if fault else 200)


@require_safe
@members_only
def audit_csv(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("audit:read")
    wanted, fault = _asked(request)
    if fault:
        raise Http404(fault)
    with unit_of_work(identity.tenant_id):
        entries = [EntryDisplay(entry) for entry in audit_entries(wanted)[:MAX_EXPORTED]]
    response = HttpResponse(as_csv(entries), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="audit-log-{timezone.now():%Y-%m-%d}.csv"'
    return response


def _asked(request: HttpRequest) -> tuple[AuditFilter, str]:
    """Return the filter and the error in it. If there is an error, the page shows all entries and the error."""
    try:
        return AuditFilter.read(request.GET.dict()), ""
    except ValueError as fault:
        return AuditFilter(), str(fault)


def _cursor(text: str) -> UUID | None:
    cursor = as_uuid(text)
    if text and cursor is None:
        raise Http404(f"before={text[:60]!r} is not the ID of a log entry.")
    return cursor
