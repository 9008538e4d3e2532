"""The places of a document that a person should check. This module makes no queries."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from jobs.dashboard.reading.lines import is_doubtful, is_recognized, read_lines
from jobs.dashboard.reading.opinions import warning_views

WHOLE_PAGE = "page"


@dataclass(frozen=True)
class Doubt:
    page: int
    place: str
    """The name that links the place with its box: `w1` for a warning, the number of a line, or `page`."""


def doubts_of(page: int, result: Mapping[str, Any], corrected: Collection[int]) -> list[Doubt]:
    """Return the doubtful places of a page. Lines in `corrected`, by index, are settled.

    A page that needs review without any such place is one place itself, unless a person has corrected it.
    """
    warnings = [warning.place for warning in warning_views(result) if warning.box is not None]
    lines = [line for line in read_lines(result) if is_doubtful(line)] if is_recognized(result) else []
    unsettled = [str(line.index + 1) for line in lines if line.index not in corrected]
    found = [Doubt(page, place) for place in (*warnings, *unsettled)]
    if not found and not corrected and result.get("needs_review") is True:
        return [Doubt(page, WHOLE_PAGE)]
    return found
