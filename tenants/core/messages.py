"""The format of names and values in messages: names in quotes, values as in JSON, and neither as in Python."""

import json
from collections.abc import Iterable

MAX_NAMES = 10
MAX_CHARACTERS = 60


def names_in_words(names: Iterable[object], most: int = MAX_NAMES) -> str:
    """Return `'a', 'b' and 3 more`, for example, or `none` if there are no names."""
    given = [str(name) for name in names]
    quoted = ", ".join(f"{name[:MAX_CHARACTERS]!r}" for name in given[:most])
    more = f" and {len(given) - most} more" if len(given) > most else ""
    return f"{quoted}{more}" or "none"


def one_of(names: Iterable[str]) -> str:
    """Return the choices in a sentence, such as `interactive, standard or bulk`."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def value_in_words(value: object) -> str:
    """Return a JSON value, cut if it is long. An object or a list is only named, not written out."""
    match value:
        case None | bool() | int() | float():
            return json.dumps(value)[:MAX_CHARACTERS]
        case str():
            return f"{value[:MAX_CHARACTERS]!r}"
        case dict():
            return "an object"
        case list() | tuple():
            return "a list"
    return type(value).__name__


def sizes_in_words(sizes: Iterable[object]) -> str:
    """Return a shape in JSON form, such as `[2, -1]`, whatever values it contains."""
    return f"[{', '.join(value_in_words(size) for size in sizes)}]"
