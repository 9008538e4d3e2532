"""The charts of the home page as numbers by minute. The script maas/static/maas/admin-home.js draws them."""

from typing import TypedDict

from maas.ops.admin.day import PagesOfMinute
from maas.ops.admin.home import Home
from maas.ops.admin.traffic import RequestsOfMinute


class Line(TypedDict):
    name: str
    tone: str
    values: list[int]


class Chart(TypedDict):
    minutes: list[int]
    lines: list[Line]
    words: str
    empty: str
    """The text that replaces the chart. It is empty if there is something to draw."""


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
    return Chart(
        minutes=home.minutes, lines=lines, words=_words("Requests", lines), empty=_unless_drawn(empty, lines)
    )


def _pages(home: Home) -> Chart:
    rows = [(home.pages or {}).get(minute, PagesOfMinute(0, 0)) for minute in home.minutes]
    empty = "Counting …" if home.pages is None else "No pages finished in the last hour."
    lines = [
        Line(name="succeeded", tone="accent", values=[row.succeeded for row in rows]),
        Line(name="failed", tone="bad", values=[row.failed for row in rows]),
    ]
    return Chart(
        minutes=home.minutes, lines=lines, words=_words("Pages", lines), empty=_unless_drawn(empty, lines)
    )


def _unless_drawn(empty: str, lines: list[Line]) -> str:
    return "" if any(any(line["values"]) for line in lines) else empty


def _words(what: str, lines: list[Line]) -> str:
    """Describe the chart in text for people who cannot see it."""
    sums = ", ".join(f"{sum(line['values']):,} {line['name']}" for line in lines)
    return f"{what} per minute in the last hour. Total: {sums}."
