"""The limits of JSON in Postgres, which cannot store NUL characters, unpaired surrogates, NaN or infinity."""

import math
from collections.abc import Iterator, Mapping
from typing import Any


def unstorable_text(value: Any) -> str | None:
    """Return the first text in the value that cannot be stored, or None. Keys are included."""
    return next((text for text in _texts(value) if not _storable(text)), None)


def without_unstorable(value: Any) -> Any:
    """Return the value with NULs dropped, half characters replaced, and null for numbers that JSON lacks. Pages may
    contain anything.
    """
    match value:
        case float() if not math.isfinite(value):
            return None
        case str():
            return value.replace("\0", "").encode("utf-8", "replace").decode()
        case Mapping():
            return {without_unstorable(key): without_unstorable(item) for key, item in value.items()}
        case list() | tuple():
            return [without_unstorable(item) for item in value]
    return value


def _storable(text: str) -> bool:
    if "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _texts(value: Any) -> Iterator[str]:
    """Yield every string in the value, without recursion, since what callers send may be nested deeply."""
    stack = [value]
    while stack:
        match stack.pop():
            case str() as text:
                yield text
            case list() as items:
                # Tensor data may be millions of numbers, so only the items of a list that can hold text are looked
                # into.
                stack.extend(item for item in items if isinstance(item, str | list | dict))
            case dict() as items:
                yield from items
                stack.extend(items.values())
