"""The page of a document on which a person points at the value of a field."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jobs.core import states
from jobs.dashboard.reading.lines import MAX_LINES, ReadLine, read_lines, svg_points
from jobs.dashboard.reading.page_view import PictureView, picture_view
from jobs.dashboard.reading.selectors import reading
from jobs.dashboard.reading.strip import Ways, ways


@dataclass(frozen=True)
class LineChoice:
    """A line, or the part of it behind a colon, for those who choose it from a list."""

    text: str
    box: str
    """The left, top, right and bottom as JSON."""
    corners: str


@dataclass(frozen=True)
class PointingView:
    job_id: str
    number: int
    name: str
    picture: PictureView
    lines: Sequence[LineChoice]
    ways: Ways


def pointing_view(job_id: str, number: int) -> PointingView | None:
    """Return the page, or None if it has no picture with lines. Call this in a unit of work."""
    found = reading(job_id, number)
    picture = found.pictures.get(number)
    if picture is None or found.page.state != states.SUCCEEDED:
        return None
    result: dict[str, Any] = found.page.result or {}
    lines = [choice for line in read_lines(result)[:MAX_LINES] for choice in choices_of(line)]
    name = found.job.document.name if found.job.document else ""
    shown = picture_view(found.page, found.job, picture)
    return PointingView(str(found.job.id), number, name, shown, lines, ways(number, found.job.pages_total))


def choices_of(line: ReadLine) -> list[LineChoice]:
    """Return the line and, if it has a label before a colon, the value behind it, whose place is about known."""
    if line.box is None or not line.text.strip():
        return []
    across, down = zip(*line.box, strict=True)
    left, top, right, bottom = min(across), min(down), max(across), max(down)
    label, colon, value = line.text.partition(":")
    found = [_choice(line.text, line, left, (top, right, bottom))]
    if colon and label.strip() and value.strip():
        share = (len(line.text) - len(value.lstrip())) / len(line.text)
        found.append(_choice(value.strip(), line, left + share * (right - left), (top, right, bottom)))
    return found


def _choice(text: str, line: ReadLine, left: float, others: tuple[float, float, float]) -> LineChoice:
    numbers = [round(edge, 1) for edge in (left, *others)]
    return LineChoice(text, str(numbers), svg_points(line.box) if text == line.text else "")
