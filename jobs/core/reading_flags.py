"""Decides what the product takes from a page's result: its quality, whether a person must check it, and its class.

An added model may return anything under these names, and results made before have none of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from jobs.core.document_class import MAX_LABELS, UNSURE, DocumentClass, Probabilities, class_of

LONGEST_LABEL = 60
_ROUNDING = 0.02
"""The most by which the probabilities of a page may miss a sum of 1."""


@dataclass(frozen=True, slots=True)
class ReadingFlags:
    """The parts of a page's result that are kept in columns of their own, for lists, filters and prices."""

    quality: float | None = None
    needs_review: bool = False
    probabilities: Probabilities | None = None
    """The probability of each class. It is None if the result has no class, or one without probabilities."""
    label: str | None = None
    """The class of the page, or `unsure`. It is set if there are probabilities."""

    def event_data(self) -> dict[str, object]:
        return {"needs_review": self.needs_review, "quality": self.quality, "class": self.label}


def reading_flags(result: object) -> ReadingFlags:
    """Return the flags of a result. A value of a wrong type or out of range counts as missing."""
    if not isinstance(result, Mapping):
        return ReadingFlags()
    found = result.get("class")
    probabilities = _probabilities(found)
    return ReadingFlags(
        quality=_share(result.get("quality")),
        needs_review=result.get("needs_review") is True,
        probabilities=probabilities,
        label=_label(found, probabilities),
    )


def flags_of_columns(quality: float | None, needs_review: bool, probabilities: Probabilities | None) -> ReadingFlags:
    """Return the flags of a page that was stored with these columns."""
    return ReadingFlags(quality, needs_review, probabilities, _label(None, probabilities))


def review_json(pages_to_review: int, found: DocumentClass | None) -> dict[str, object]:
    """Describe what a job says about checking it, as its last event, its webhook message and the API do."""
    return {
        "pages_to_review": pages_to_review,
        "needs_review": pages_to_review > 0,
        "class": found and found.to_json(),
    }


def is_label(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_LABEL and value.isprintable()


def _label(found: object, probabilities: Probabilities | None) -> str | None:
    if probabilities is None:
        return None
    own = found.get("label") if isinstance(found, Mapping) else None
    return own if isinstance(own, str) and (own == UNSURE or own in probabilities) else class_of(probabilities).label


def _probabilities(found: object) -> Probabilities | None:
    given = found.get("probabilities") if isinstance(found, Mapping) else None
    if not isinstance(given, Mapping) or not 0 < len(given) <= MAX_LABELS:
        return None
    read = {label: share for label, value in given.items() if is_label(label) and (share := _share(value)) is not None}
    complete = len(read) == len(given) and abs(sum(read.values()) - 1) <= _ROUNDING
    return read if complete else None


def _share(value: object) -> float | None:
    """Return a number from 0 to 1. This comparison also leaves out NaN, and integers too large for a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= 1 else None
