"""The operator's page about the number of workers of each pool: wanted, ready and needed, with the reasons."""

import time
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from inference.registry.models import ScalingMinute, ScalingTerms
from inference.scaling.traffic import MINUTE_S
from jobs.scaling.minutes import minutes_of
from jobs.scaling.published import Json, ScalingUnavailable, published
from maas.ops.admin.charts import Chart, chart_line, made_chart
from maas.ops.admin.visibility import SCALING, may_see

SHOWN_MINUTES = 180
PERIOD = "in the last 3 hours"


@dataclass(frozen=True, slots=True)
class PoolRow:
    now: Json
    mode: str
    terms_id: int | None
    """The terms of the pool, if an operator has set any."""


@require_GET
def scaling(request: HttpRequest) -> HttpResponse:
    _require_sight(request)
    context = {**admin.site.each_context(request), "title": "Scaling", **_shown()}
    return render(request, "admin/scaling/page.html", context)


@require_GET
def scaling_live(request: HttpRequest) -> HttpResponse:
    _require_sight(request)
    return render(request, "admin/scaling/live.html", _shown())


def _shown() -> dict[str, Any]:
    try:
        pools, unavailable = published(), ""
    except ScalingUnavailable as error:
        pools, unavailable = [], error.detail
    terms = {of_pool.pool: of_pool for of_pool in ScalingTerms.objects.all()}
    rows = [_row(pool, terms.get(pool["pool"])) for pool in pools]
    charts: dict[str, Chart] = {}
    for pool in pools:
        minutes = minutes_of(pool["pool"], SHOWN_MINUTES, time.time())
        charts |= {f"{kind}-{pool['pool']}": chart for kind, chart in pool_charts(pool["pool"], minutes).items()}
    waits = any(row.now["parts"] for row in rows)
    return {"rows": rows, "waits": waits, "unavailable": unavailable, "charts": charts}


def _row(pool: Json, terms: ScalingTerms | None) -> PoolRow:
    mode = ScalingTerms.Mode(pool["mode"]).label
    return PoolRow(pool, str(mode), terms.pk if terms else None)


def pool_charts(pool: str, minutes: list[ScalingMinute]) -> dict[str, Chart]:
    charts = {
        "workers": made_chart(
            f"Workers of {pool}",
            "by minute",
            "line",
            [
                chart_line("wanted", "first", [minute.wanted for minute in minutes]),
                chart_line("ready", "second", [minute.ready for minute in minutes]),
                chart_line("needed", "fourth", [minute.needed for minute in minutes]),
            ],
            PERIOD,
        ),
        "work": made_chart(
            f"Waiting for {pool}",
            "seconds, most in each minute",
            "line",
            [
                chart_line("work", "first", [minute.work_s for minute in minutes]),
                chart_line("longest wait", "fourth", [minute.oldest_wait_s for minute in minutes]),
            ],
            PERIOD,
        ),
    }
    for chart in charts.values():
        chart["minutes"] = [int(minute.minute * MINUTE_S) for minute in minutes]
    return charts


def _require_sight(request: HttpRequest) -> None:
    if not may_see(request, *SCALING):
        raise PermissionDenied
