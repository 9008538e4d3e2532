"""Names a value that a caller sent, for a refusal: in JSON's own terms, and short."""

import json

from inference.core.contracts import Json

_MAX_CHARS = 60


def describe(value: Json) -> str:
    """Return `"abc"`, `3`, `true`, `null`, "a list" or "an object".

    The whole of what was sent may take seconds to write out.
    """
    match value:
        case str():
            return json.dumps(value[:_MAX_CHARS])[:_MAX_CHARS]
        case None | bool() | int() | float():
            return json.dumps(value)[:_MAX_CHARS]
        case list():
            return "a list"
    return "an object"
