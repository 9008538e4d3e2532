"""The names of a classifier's classes, from the labels of its version."""

import json
from collections.abc import Mapping
from typing import Any

from inference.registry.uploads import CLASSES


def class_labels(labels: Mapping[str, Any]) -> list[str]:
    """Return the names in the order of the scores, or nothing if the labels do not have them."""
    try:
        names = json.loads(labels.get(CLASSES, "[]"))
    except (TypeError, ValueError, RecursionError):
        return []
    return [str(name) for name in names] if isinstance(names, list) else []
