"""The page of a document on which a person points at the value of a field."""

from collections.abc import Sequence
from dataclasses import dataclass

from jobs.core import states
from jobs.corrected_results.selectors import result_with
from jobs.dashboard.reading.lines import MAX_LINES, ReadLine, read_lines, svg_points
from jobs.dashboard.reading.page_view import PictureView, picture_view
from jobs.dashboard.reading.selectors import reading
from jobs.dashboard.reading.strip import Ways, ways


@dataclass(frozen=True)
class LineChoice:
    """A line, for those who choose it from a list. Of a line with a label, the value behind it is taken."""

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
    read = read_lines(result_with(found.corrections, found.page.result))
    lines = [choice for line in read[:MAX_LINES] if (choice := choice_of(line))]
    name = found.job.document.name if found.job.document else ""
    shown = picture_view(found.page, found.job, picture)
    return PointingView(str(found.job.id), number, name, shown, lines, ways(number, found.job.pages_total))


def choice_of(line: ReadLine) -> LineChoice | None:
    """Return the choice of a line, or None if it has no text or no place."""
    if line.box is None or not line.text.strip():
        return None
    across, down = zip(*line.box, strict=True)
    edges = (min(across), min(down), max(across), max(down))
    return LineChoice(line.text, str([round(edge, 1) for edge in edges]), svg_points(line.box))
