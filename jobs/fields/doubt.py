"""Whether a person should check a field. This module is pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from inference.fields.checks import CONTRADICT

MIN_CONFIDENCE = 0.8
"""The confidence below which a field is to be checked, as that of a line."""


def is_unsure(field: Mapping[str, Any], warnings: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether a field is to be checked. `warnings` are those of its document: one may contradict the field."""
    if field.get("corrected"):
        return False
    contradicted = any(one["code"] == CONTRADICT and field["name"] in one.get("fields", ()) for one in warnings)
    return contradicted or field["confidence"] < MIN_CONFIDENCE or "ambiguous" in field
