"""The operator's page about the engine, its part that refreshes itself, and its charts of the last minutes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from inference.workers.figures import SPAN_S, ModelSums, Span, summed
from maas.ops.admin.charts import Chart, ChartLine, chart_line, made_chart
from maas.ops.admin.engine import EngineNow, engine_rows, gather_engine
from maas.ops.admin.visibility import ENGINE, may_see

DRAWN = 4
"""The number of models with a color of their own. All others share one color."""
TONES = ("first", "second", "third", "fourth")
PERIOD = "in the last 10 minutes"
NOT_KNOWN = "The durable Redis does not answer, so these figures are unknown."


@dataclass(frozen=True)
class Group:
    name: str
    tone: str
    keys: frozenset[str]

    def in_(self, span: Span) -> ModelSums:
        return summed(sums for name, sums in span.parts.items() if name.partition("/")[0] in self.keys)


def engine_charts(now: EngineNow) -> dict[str, Chart]:
    spans = [*now.spans]
    groups, every = _groups(spans), _everything(spans)
    charts = {
        "rows": _chart("Rows processed", f"per {SPAN_S} s", "bar", _by_model(groups, spans, lambda sums: sums.rows)),
        "waits": _chart(
            "Wait times",
            "ms, mean",
            "line",
            [
                _line("queue", "first", every, lambda sums: sums.queue_wait_ms),
                _line("batch delay", "second", every, lambda sums: sums.batch_wait_ms),
            ],
        ),
        "batch-rows": _chart("Batch size", "mean", "line", _by_model(groups, spans, lambda sums: sums.rows_per_batch)),
        "batch-padding": _chart(
            "Padding",
            "% of the computed values",
            "line",
            _by_model(groups, spans, lambda sums: sums.padding_percent),
        ),
        "run-time": _chart("Time per run", "ms, mean", "line", _by_model(groups, spans, lambda sums: sums.run_ms)),
        "loads": _chart(
            "Loads and evictions",
            f"files, per {SPAN_S} s",
            "bar",
            [
                _line("loaded", "first", every, lambda sums: sums.loads),
                _line("evicted", "watch", every, lambda sums: sums.evictions),
                _line("failed", "bad", every, lambda sums: sums.failed_loads),
            ],
        ),
    }
    for chart in charts.values():
        chart["minutes"] = [span.at_s for span in spans]
        if now.workers is None:
            chart["empty"] = NOT_KNOWN
    return charts


def _groups(spans: Sequence[Span]) -> list[Group]:
    """Give each of the busiest models its own line, and its color in the order of names. All others share one line."""
    rows: dict[str, float] = {}
    for span in spans:
        for name, sums in span.parts.items():
            key = name.partition("/")[0]
            rows[key] = rows.get(key, 0) + sums.rows
    busiest = sorted((key for key in rows if rows[key]), key=lambda key: (-rows[key], key))
    drawn, others = sorted(busiest[:DRAWN]), busiest[DRAWN:]
    groups = [Group(key, tone, frozenset({key})) for key, tone in zip(drawn, TONES, strict=False)]
    return [*groups, Group(f"{len(others)} others", "quiet", frozenset(others))] if others else groups


def _everything(spans: Sequence[Span]) -> list[ModelSums]:
    return [summed(span.parts.values()) for span in spans]


def _by_model(
    groups: Sequence[Group], spans: Sequence[Span], value: Callable[[ModelSums], float | None]
) -> list[ChartLine]:
    return [_line(group.name, group.tone, [group.in_(span) for span in spans], value) for group in groups]


def _line(name: str, tone: str, sums: Sequence[ModelSums], value: Callable[[ModelSums], float | None]) -> ChartLine:
    return chart_line(name, tone, [value(each) for each in sums])


def _chart(title: str, note: str, kind: Literal["bar", "line"], lines: list[ChartLine]) -> Chart:
    return made_chart(title, note, kind, lines, PERIOD)


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
