"""The dashboard of a tenant's last API requests, which is updated as they arrive."""

from collections.abc import Sequence

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from tenants.api_keys.selectors import names_of_keys
from tenants.core.db.unit_of_work import unit_of_work
from tenants.dashboard.log.entry_view import entry_view
from tenants.dashboard.log.filters import PEOPLE, STATUSES, LogFilter
from tenants.dashboard.log.selectors import names_of_people
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity
from tenants.request_log.entries import LogEntry
from tenants.request_log.store import KEPT, LogUnavailable, recent_requests


@require_safe
@members_only
def request_log(request: HttpRequest, identity: Identity) -> HttpResponse:
    """Show the request log. Send only the rows to htmx, and nothing if it already has the newest rows."""
    identity.require("log:read")
    wanted = LogFilter.read(request.GET.dict())
    away = False
    try:
        all_entries = recent_requests(identity.tenant_id)
    except LogUnavailable:
        all_entries, away = [], True
    newest = all_entries[0].id if all_entries else "none"
    if request.htmx and request.GET.get("newest") == newest and not away:  # type: ignore[attr-defined]
        return HttpResponse(status=204)
    entries = wanted.chosen(all_entries)
    key_names, people = _names(identity, all_entries)
    context = {
        "entries": [entry_view(entry, key_names, people) for entry in entries[: wanted.max_rows]],
        "found": len(entries),
        "all": len(all_entries),
        "most": KEPT,
        "newest": newest,
        "away": away,
        "filter": wanted,
        "statuses": STATUSES,
        "keys": sorted(key_names.items(), key=lambda pair: pair[1].lower()),
        "people": PEOPLE,
        "public_url": settings.MAAS_PUBLIC_URL.rstrip("/"),
    }
    template = "tenants/log/entries.html" if request.htmx else "tenants/log/log.html"  # type: ignore[attr-defined]
    return render(request, template, context)


@require_safe
@members_only
def request_page(request: HttpRequest, identity: Identity, entry_id: str) -> HttpResponse:
    identity.require("log:read")
    try:
        entries = recent_requests(identity.tenant_id)
    except LogUnavailable:
        entries = []
    entry = next((each for each in entries if each.id == entry_id), None)
    if entry is None:
        raise Http404(f"This request is no longer in the log. The log keeps the last {KEPT} requests for up to a day.")
    return render(request, "tenants/log/request.html", {"entry": entry_view(entry, *_names(identity, [entry]))})


def _names(identity: Identity, entries: Sequence[LogEntry]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the names of keys and of people, by id."""
    with unit_of_work(identity.tenant_id):
        return names_of_keys({entry.key_id for entry in entries if entry.key_id}), names_of_people()
