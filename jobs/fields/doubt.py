"""Whether a person should check a field. This module is pure."""

from collections.abc import Mapping
from typing import Any

MIN_CONFIDENCE = 0.8
"""The confidence below which a field is to be checked, as that of a line."""


def is_unsure(field: Mapping[str, Any]) -> bool:
    return not field.get("corrected") and (field["confidence"] < MIN_CONFIDENCE or "ambiguous" in field)
