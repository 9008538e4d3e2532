"""Parses the fields of a form, which are all text."""

import json
from typing import Any

from inference.gateway.repeated_names import RepeatedName, without_repeated
from jobs.core.deadlines import NotASpan, read_span
from jobs.core.priorities import NUMBERS
from jobs.core.storable import unstorable_text
from tenants.core.errors import InvalidRequest
from tenants.core.messages import one_of


def span_of(text: str | None, name: str) -> int | None:
    if text is None:
        return None
    try:
        return read_span(text)
    except NotASpan as error:
        raise InvalidRequest(f"{name}: {error}.") from None


def priority_of(name: str) -> int:
    if name not in NUMBERS:
        raise InvalidRequest(f"Unknown priority {name[:40]!r}. Use {one_of(NUMBERS)}.")
    return NUMBERS[name]


def json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text, object_pairs_hook=without_repeated)
    except RepeatedName as error:
        raise InvalidRequest(f"The field `parameters`: {error}") from None
    except RecursionError:
        raise InvalidRequest("The field `parameters` is nested too deeply.") from None
    except ValueError as error:
        raise InvalidRequest(f"The field `parameters` is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise InvalidRequest("The field `parameters` must be a JSON object.")
    if unstorable_text(value) is not None:
        raise InvalidRequest("The field `parameters` contains a NUL character or half a surrogate pair.")
    return value
