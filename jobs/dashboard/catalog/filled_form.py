"""Reads the playground's form, as the browser describes it, into a call. This module makes no queries."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from inference.core.contracts import Json
from inference.gateway.repeated_names import RepeatedName, without_repeated
from jobs.core.priorities import DEFAULT, NUMBERS
from jobs.dashboard.catalog import examples
from jobs.dashboard.catalog.model_view import shown_key
from jobs.dashboard.catalog.snippets.call import Call
from tenants.core.errors import InvalidRequest

MAX_CHARACTERS = 20_000
DEEPEST = 20


def call_in(body: bytes, *, model: str, runtime: str) -> Call:
    """Read `{"kind", "value", "parameters"}` into a call. `value` is a file's name, a text, a list of texts, or tensors
    as JSON text.

    The form may name a `priority`, and otherwise has the default one. With `"sample": true` the file is the sample
    scan, whatever its name is.
    """
    if len(body) > MAX_CHARACTERS:
        raise InvalidRequest(
            f"Code is shown only for inputs of up to {MAX_CHARACTERS:,} characters. "
            "Shorten the input, or read it from a file in your program."
        )
    form = _json(body.decode(errors="replace"), "The form")
    match form:
        case {"kind": str(kind), "value": value, "parameters": dict(parameters)}:
            _refuse_depth(parameters)
            priority = _priority(form.get("priority", DEFAULT))
            call = Call(model, shown_key(runtime, kind), parameters=parameters, priority=priority)
            if kind == "document" and form.get("sample") is True:
                return replace(call, file_name=examples.SAMPLE_NAME, sample=True)
            return _with_input(call, kind, value)
    raise InvalidRequest("The form must have `kind`, `value` and `parameters`.")


def example_call(model: str, runtime: str, input_kind: str, signature: Mapping[str, Json]) -> Call:
    call = Call(model, shown_key(runtime, input_kind))
    if input_kind == "document":
        return _with_input(call, input_kind, examples.FILE_NAME)
    values = {
        "text": examples.TEXT,
        "texts": list(examples.TEXTS),
        "tensors": json.dumps(examples.example_tensors(signature) or []),
    }
    return _with_input(call, input_kind, values[input_kind])


def _priority(sent: Json) -> str:
    """Return the priority, or an empty string for the default one, which can be left out."""
    if not isinstance(sent, str) or sent not in NUMBERS:
        raise InvalidRequest(f"Unknown priority. Use one of: {', '.join(NUMBERS)}.")
    return "" if sent == DEFAULT else str(sent)


def _with_input(call: Call, kind: str, value: Json) -> Call:
    match kind, value:
        case "document", str(name):
            return replace(call, file_name=name.replace("\0", "") or examples.FILE_NAME)
        case "text", str(text):
            return replace(call, input=text)
        case "texts", list(texts) if all(isinstance(text, str) for text in texts):
            return replace(call, input=texts)
        case "tensors", str(written):
            tensors = _json(written, "The input")
            _refuse_depth(tensors)
            return replace(call, input={"tensors": tensors})
    raise InvalidRequest(f"The value does not match the kind {kind[:20]!r}.")


def _json(text: str, what: str) -> Json:
    try:
        return json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            object_pairs_hook=without_repeated,
        )
    except RepeatedName as error:
        raise InvalidRequest(f"{what}: {error}") from None
    except RecursionError:
        raise InvalidRequest(f"{what} is nested too deeply.") from None
    except ValueError as error:
        raise InvalidRequest(f"{what} is not JSON: {error}.") from None


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"it contains {name}, which JSON does not allow")


def _finite(text: str) -> float:
    value = float(text)
    if math.isfinite(value):
        return value
    raise ValueError(f"{text[:30]} is too large a number")


def _refuse_depth(value: Json) -> None:
    """Refuse a value that is nested too deeply, because the code that lays the value out recurses into it."""
    if any(depth > DEEPEST for depth in _depths(value)):
        raise InvalidRequest(f"The input is nested deeper than {DEEPEST} levels.")


def _depths(value: Json) -> Iterator[int]:
    waiting = [(value, 1)]
    while waiting:
        nested, depth = waiting.pop()
        yield depth
        parts = nested.values() if isinstance(nested, dict) else nested if isinstance(nested, list) else ()
        waiting.extend((part, depth + 1) for part in parts)
