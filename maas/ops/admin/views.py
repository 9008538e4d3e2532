"""The admin's first page with its charts and rankings, and the part of it that refreshes itself."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypedDict

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from maas.ops.admin.day import PagesOfMinute, RequestsOfMinute, since
from maas.ops.admin.home import Home, gather
from maas.ops.admin.queues import COUNTED
from maas.ops.admin.tiles import list_url, tiles
from maas.ops.admin.visibility import ENGINE, may_see, seen, sees
from tenants.admin_base.columns import BAD, TONES
from tenants.admin_base.formatting import size


class Line(TypedDict):
    name: str
    tone: str
    values: list[int]


class Chart(TypedDict):
    minutes: list[int]
    lines: list[Line]
    words: str
    empty: str


def charts(home: Home) -> dict[str, Chart]:
    return {"requests": _requests(home), "pages": _pages(home)}


def _requests(home: Home) -> Chart:
    rows = [(home.requests or {}).get(minute, RequestsOfMinute()) for minute in home.minutes]
    empty = "No requests in the last hour."
    if home.requests is None:
        empty = "The cache Redis does not answer, so the requests are unknown."
    lines = [
        Line(name="succeeded (2xx)", tone="good", values=[row.succeeded for row in rows]),
        Line(name="rejected (4xx)", tone="quiet", values=[row.refused for row in rows]),
        Line(name="rate limited (429)", tone="watch", values=[row.limited for row in rows]),
        Line(name="failed (5xx)", tone="bad", values=[row.failed for row in rows]),
    ]
    return Chart(minutes=home.minutes, lines=lines, words=_words("Requests", lines), empty=_unless_drawn(empty, lines))


def _pages(home: Home) -> Chart:
    rows = [(home.pages or {}).get(minute, PagesOfMinute(0, 0)) for minute in home.minutes]
    empty = "Counting …" if home.pages is None else "No pages finished in the last hour."
    lines = [
        Line(name="succeeded", tone="accent", values=[row.succeeded for row in rows]),
        Line(name="failed", tone="bad", values=[row.failed for row in rows]),
    ]
    return Chart(minutes=home.minutes, lines=lines, words=_words("Pages", lines), empty=_unless_drawn(empty, lines))


def _unless_drawn(empty: str, lines: list[Line]) -> str:
    return "" if any(any(line["values"]) for line in lines) else empty


def _words(what: str, lines: list[Line]) -> str:
    """Describe the chart in text for people who cannot see it."""
    sums = ", ".join(f"{sum(line['values']):,} {line['name']}" for line in lines)
    return f"{what} per minute in the last hour. Total: {sums}."


@dataclass(frozen=True)
class Bar:
    name: str
    count: str
    percent: int
    url: str
    tone: str = ""


@dataclass(frozen=True)
class Ranking:
    """A ranking of bars. `bars` is None while they are counted."""

    key: str
    title: str
    bars: list[Bar] | None
    empty: str
    period: str = "24 hours"


def rankings(home: Home) -> list[Ranking]:
    return [
        Ranking("failures", "Failed pages by error code", _failures(home), "No failed pages in the last 24 hours."),
        Ranking("states", "Jobs by state", _states(home), "No jobs in the last 24 hours."),
        Ranking("jobs-by-tenant", "Jobs by tenant", _tenants(home), "No jobs in the last 24 hours."),
        Ranking("storage-by-tenant", "Storage by tenant", _storage(home), "No stored documents.", ""),
    ]


def _failures(home: Home) -> list[Bar] | None:
    if home.failures is None:
        return None
    codes = list(home.failures.items())[:10]
    return _bars(
        (
            code or "(no error code)",
            count,
            f"{count:,}",
            list_url("jobs_page", error_code=code, **since("finished_at")),
            BAD,
        )
        for code, count in codes
    )


def _states(home: Home) -> list[Bar] | None:
    if home.jobs is None:
        return None
    return _bars(
        (
            state.replace("_", " "),
            count,
            f"{count:,}",
            list_url("jobs_job", state__exact=state, **since("created_at")),
            TONES.get(state, ""),
        )
        for state, count in home.jobs.by_state.items()
    )


def _tenants(home: Home) -> list[Bar] | None:
    if home.jobs is None:
        return None
    return _bars(
        (
            tenant.name,
            tenant.count,
            f"{tenant.count:,}",
            list_url("jobs_job", tenant__id__exact=tenant.tenant_id, **since("created_at")),
            "",
        )
        for tenant in home.jobs.by_tenant
    )


def _storage(home: Home) -> list[Bar] | None:
    if home.storage is None:
        return None
    return _bars(
        (
            tenant.name,
            tenant.size_bytes,
            size(tenant.size_bytes),
            list_url("jobs_document", tenant__id__exact=tenant.tenant_id),
            "",
        )
        for tenant in home.storage.by_tenant
    )


def _bars(rows: Iterable[tuple[str, int, str, str, str]]) -> list[Bar]:
    found = list(rows)
    largest = max((row[1] for row in found), default=0) or 1
    return [Bar(name, text, round(100 * count / largest), url, tone) for name, count, text, url, tone in found]


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
