"""Parse JSON and refuse objects that contain the same name twice, because different parsers may take different
values.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

MAX_SHOWN = 80


class RepeatedName(ValueError):
    """An object contains a name twice. The message names it in a sentence for the caller."""

    def __init__(self, name: str) -> None:
        super().__init__(f"An object in the JSON has the name {name[:MAX_SHOWN]!a} twice. Send it once.")


def without_repeated(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object's members, or raise RepeatedName. This is an `object_pairs_hook` for a JSON parser."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise RepeatedName(_first_repeated(pairs))
    return members


def strict_decoder(parse_constant: Callable[[str], Any] | None = None) -> json.JSONDecoder:
    """Return a decoder that is to be reused: it takes longer to create a decoder than to parse a short text."""
    return json.JSONDecoder(object_pairs_hook=without_repeated, parse_constant=parse_constant)


def _first_repeated(pairs: Sequence[tuple[str, Any]]) -> str:
    counts = Counter(name for name, _ in pairs)
    return next(name for name, count in counts.items() if count > 1)
