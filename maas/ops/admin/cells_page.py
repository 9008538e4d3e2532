"""The operator's page about all cells: which answer, what they have applied, and how much work waits in each.

Everything is remembered by the scheduler, so that the page never waits for a cell that is away.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from jobs.cells.report import own_report
from maas.ops.admin.visibility import CELLS, may_see
from tenants.admin_base.formatting import ago
from tenants.cells.cells import Cell
from tenants.cells.models import PeerCell
from tenants.core.db.clock import database_now
from tenants.core.durations import age

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CellRow:
    """A cell as the page shows it."""

    name: str
    admin_url: str
    is_own: bool
    is_control: bool
    away_since: datetime | None
    known: bool
    """Set if it has ever answered."""
    error: str
    report: Json
    reported: str
    """The time since its figures were true."""
    made: str
    confirmed: str
    refused: list[Json]
    refusal: str


@require_GET
def cells(request: HttpRequest) -> HttpResponse:
    _require_sight(request)
    context = {**admin.site.each_context(request), "title": "Cells", **_shown()}
    return render(request, "admin/cells/page.html", context)


@require_GET
def cells_live(request: HttpRequest) -> HttpResponse:
    _require_sight(request)
    return render(request, "admin/cells/live.html", _shown())


def _shown() -> Json:
    known = settings.MAAS_CELLS
    if not known:
        return {"rows": [], "control": ""}
    peers = {peer.name: peer for peer in PeerCell.objects.all()}
    now = database_now()
    rows = [_row(cell, peers.get(cell.name), now) for cell in known.by_name.values()]
    return {"rows": rows, "control": known.control, "own": known.own}


def _row(cell: Cell, peer: PeerCell | None, now: datetime) -> CellRow:
    known = settings.MAAS_CELLS
    is_own = cell.name == known.own
    report: Json = own_report() if is_own else peer.report if peer else {}
    answered_at = now if is_own else peer.answered_at if peer else None
    return CellRow(
        name=cell.name,
        admin_url=f"{cell.url}/admin/",
        is_own=is_own,
        is_control=cell.name == known.control,
        away_since=peer.away_since if peer and not is_own else None,
        known=answered_at is not None,
        error=peer.error if peer and not is_own else "",
        report=report,
        reported=ago(answered_at),
        made=ago(_moment(report.get("made_at"))),
        confirmed=_age(_moment(report.get("confirmed_at")), answered_at),
        refused=list(report.get("refused") or []),
        refusal=str(report.get("refusal") or ""),
    )


def _age(moment: datetime | None, at: datetime | None) -> str:
    """Return how old the export was when the cell was asked, by that cell's clock and ours."""
    if moment is None or at is None:
        return ""
    return age(max(0.0, (at - moment).total_seconds()))


def _moment(text: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found if found.tzinfo else None


def _require_sight(request: HttpRequest) -> None:
    if not may_see(request, *CELLS):
        raise PermissionDenied
