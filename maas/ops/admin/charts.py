"""The charts of operators' pages: their numbers for the browser, and their words for people who cannot see them."""

from collections.abc import Sequence
from typing import Literal, TypedDict

Kind = Literal["bar", "line"]


class ChartLine(TypedDict):
    name: str
    tone: str
    values: list[float | None]


class Chart(TypedDict):
    title: str
    note: str
    kind: Kind
    minutes: list[int]
    lines: list[ChartLine]
    words: str
    empty: str
    """The text that replaces the chart. It is empty if there is something to draw."""


def chart_line(name: str, tone: str, values: Sequence[float | None]) -> ChartLine:
    return ChartLine(name=name, tone=tone, values=[None if value is None else round(value, 3) for value in values])


def made_chart(title: str, note: str, kind: Kind, lines: list[ChartLine], period: str) -> Chart:
    """Return a chart of a period, such as "in the last hour". Its moments are filled in by the caller."""
    return Chart(
        title=title,
        note=note,
        kind=kind,
        minutes=[],
        lines=lines,
        words=_words(title, kind, lines, period),
        empty="" if _is_drawn(kind, lines) else f"No data {period}.",
    )


def _is_drawn(kind: Kind, lines: Sequence[ChartLine]) -> bool:
    """Say whether there is something to draw. A mean of 0 is a visible point on a line, but a bar of 0 is invisible."""
    values = [value for line in lines for value in line["values"]]
    return any(value is not None for value in values) if kind == "line" else any(values)


def _words(title: str, kind: Kind, lines: Sequence[ChartLine], period: str) -> str:
    """Describe the chart in text for people who cannot see it."""
    latest = []
    for line in lines:
        values = [value for value in line["values"] if value is not None]
        figure = sum(values) if kind == "bar" else (sum(values) / len(values) if values else 0)
        latest.append(f"{line['name']} {figure:,.1f}")
    what = "Total" if kind == "bar" else "Average"
    return f"{title} {period}. {what}: {', '.join(latest) or 'no data'}."
