"""The operator's page about the engine, and the part of it that refreshes itself."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from maas.ops.admin.engine import engine_rows, gather_engine
from maas.ops.admin.engine_series import engine_charts
from maas.ops.admin.visibility import ENGINE, may_see


@require_GET
def engine(request: HttpRequest) -> HttpResponse:
    _require_sight(request)
    context = {**admin.site.each_context(request), "title": "Engine", **_shown()}
    return render(request, "admin/engine/page.html", context)


@require_GET
def engine_live(request: HttpRequest) -> HttpResponse:
    _require_sight(request)
    return render(request, "admin/engine/live.html", _shown())


def _shown() -> dict[str, Any]:
    now = gather_engine()
    rows = engine_rows(now)
    has_files = any(row.files for row in rows)
    return {"workers": now.workers, "rows": rows, "has_files": has_files, "charts": engine_charts(now)}


def _require_sight(request: HttpRequest) -> None:
    if not may_see(request, *ENGINE):
        raise PermissionDenied
