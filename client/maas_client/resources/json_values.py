"""The values that the objects of the service have in common: JSON objects, boxes and times."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

Json = Mapping[str, Any]
Box = tuple[tuple[float, float], ...]
"""Four corners in pixels of the page's picture, clockwise from the top left."""


def box_of(corners: Any) -> Box | None:
    return tuple((x, y) for x, y in corners) if corners else None


def time_of(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def time_of_seconds(seconds: int | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
