"""The admin's first page, and the part of it that refreshes itself."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from maas.ops.admin.bars import rankings
from maas.ops.admin.home import gather
from maas.ops.admin.queues import COUNTED
from maas.ops.admin.series import charts
from maas.ops.admin.tiles import tiles
from maas.ops.admin.visibility import ENGINE, may_see, seen, sees


def home(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the context of the first page. Unfold calls this."""
    return {**context, "title": "Home", **_shown(request)}


@require_GET
def live(request: HttpRequest) -> HttpResponse:
    return render(request, "admin/home/live.html", _shown(request))


def _shown(request: HttpRequest) -> dict[str, Any]:
    found = gather()
    return {
        "tiles": seen(request, tiles(found)),
        "charts": {name: chart for name, chart in charts(found).items() if sees(request, name)},
        "rankings": seen(request, rankings(found)),
        "sees": {
            **{part: sees(request, part) for part in ("queues", "workers", "actions")},
            "engine": may_see(request, *ENGINE),
        },
        "queues": found.queues,
        "counted": COUNTED,
        "workers": found.workers,
        "actions": found.actions,
    }
