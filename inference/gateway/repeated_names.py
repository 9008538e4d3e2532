"""Reads JSON in which no object has the same name twice: of two readers, each may take another of the values."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

MAX_SHOWN = 80


class RepeatedName(ValueError):
    """The message says which name, in a sentence for a caller."""

    def __init__(self, name: str) -> None:
        super().__init__(f"An object in the JSON has the name {name[:MAX_SHOWN]!a} twice. Send it once.")


def without_repeated(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object's members; raise RepeatedName. Give it as `object_pairs_hook` to a JSON reader."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise RepeatedName(_first_repeated(pairs))
    return members


def strict_decoder(parse_constant: Callable[[str], Any] | None = None) -> json.JSONDecoder:
    """Return a decoder to keep: to make one for each text takes longer than a short text does."""
    return json.JSONDecoder(object_pairs_hook=without_repeated, parse_constant=parse_constant)


def _first_repeated(pairs: Sequence[tuple[str, Any]]) -> str:
    counts = Counter(name for name, _ in pairs)
    return next(name for name, count in counts.items() if count > 1)
