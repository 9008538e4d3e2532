"""Describe a value that a caller sent, for an error message: briefly, and in the terms of JSON."""

import json

from inference.core.contracts import Json

_MAX_CHARS = 60


def describe(value: Json) -> str:
    """Return `"abc"`, `3`, `true`, `null`, "a list" or "an object".

    Lists and objects are not written out, because that may take seconds.
    """
    match value:
        case str():
            return json.dumps(value[:_MAX_CHARS])[:_MAX_CHARS]
        case None | bool() | int() | float():
            return json.dumps(value)[:_MAX_CHARS]
        case list():
            return "a list"
    return "an object"
