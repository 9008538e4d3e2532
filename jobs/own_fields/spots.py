"""Reads what stands at a spot of a page that a person pointed at. Call this in a unit of work."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from inference.own_fields.pointing import Pointed, point
from jobs.core import states
from jobs.core.errors import NotRead
from jobs.core.models import Job
from jobs.corrected_results.selectors import corrections_at, result_with
from jobs.documents.job_selectors import get_job, get_job_page
from tenants.core.errors import InvalidRequest

Box = tuple[float, float, float, float]
MAX_NUMBER = 1e6
"""The largest coordinate. No picture is larger."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A box on the picture of a page of a job: left, top, right and bottom, in pixels."""

    job_id: object
    page: int
    box: Box


@dataclass(frozen=True, slots=True)
class Seen:
    """What was read at a spot."""

    job: Job
    spot: Spot
    pointed: Pointed


def seen_at(spot: Spot) -> Seen:
    """Return what was read at a spot, as people corrected it.

    A job of another tenant is not found, whatever else is wrong.
    """
    job = get_job(spot.job_id)
    page = get_job_page(job, spot.page)
    if page.state != states.SUCCEEDED:
        raise NotRead(f"Page {spot.page} is {page.state}. Point at a page that has succeeded.")
    if not isinstance((page.result or {}).get("lines"), list):
        raise InvalidRequest(f"The result of page {spot.page} has no lines. Read the document with parse or ocr.")
    corrections = corrections_at(job, spot.page).get(spot.page, ())
    pointed = point(result_with(corrections, page.result), spot.page, job.pages_total, spot.box)
    if pointed is None:
        raise InvalidRequest(f"`box`: no text was read there on page {spot.page}. Point at a word or a line.")
    return Seen(job, spot, pointed)


def box_of(value: object) -> Box:
    """Return left, top, right and bottom of four numbers, or of four corners as results have them."""
    match value:
        case [list() | tuple(), *_] as corners if len(corners) == 4 and all(map(_is_corner, corners)):
            across, down = zip(*corners, strict=True)
            return _ordered((*across, *down), min(across), min(down), max(across), max(down))
        case [left, top, right, bottom]:
            return _ordered((left, top, right, bottom), left, top, right, bottom)
    raise InvalidRequest(_NO_BOX)


_NO_BOX = "`box` must be four numbers, left, top, right and bottom in pixels, or four corners as in the result."


def _is_corner(corner: object) -> bool:
    return isinstance(corner, list | tuple) and len(corner) == 2


def _ordered(numbers: Sequence[object], left: object, top: object, right: object, bottom: object) -> Box:
    if not all(map(_is_number, numbers)):
        raise InvalidRequest(_NO_BOX)
    box = tuple(float(edge) for edge in (left, top, right, bottom))  # type: ignore[arg-type]  # numbers, as was checked
    return (min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3]))


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= MAX_NUMBER and isfinite(value)
