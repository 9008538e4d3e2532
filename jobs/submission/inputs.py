"""Reads inline input: the forms that a caller may send, the form that is stored, and the input of a model."""

from collections.abc import Mapping
from typing import Any

from inference.core.contracts import TensorInput, TextInput, WorkInput
from inference.runtime.tensor_requests import read_tensors
from tenants.core.errors import InvalidRequest
from tenants.core.messages import names_in_words, value_in_words

FORMS = 'a string, a list of strings or {"tensors": [{"name", "datatype", "shape", "data"}]}'


def normal_form(raw: object) -> dict[str, Any]:
    """Return the input as `{"text"}`, `{"texts"}` or `{"tensors"}`, in whichever form it was sent."""
    match raw:
        case str():
            return {"text": raw}
        case list() if all(isinstance(item, str) for item in raw):
            return {"texts": raw}
        case {"text": str(text), **rest} if not rest:
            return {"text": text}
        case {"texts": list(texts), **rest} if not rest and all(isinstance(item, str) for item in texts):
            return {"texts": texts}
        case {"tensors": list(tensors), **rest} if not rest:
            return {"tensors": tensors}
    raise InvalidRequest(f"`input` must be {FORMS}; got {_kind(raw)}.")


def input_kind(stored: Mapping[str, Any] | None) -> str:
    """Return the kind of an input, as it is named in a model's `accepts`."""
    return "document" if stored is None else next(iter(stored))


def work_input(stored: Mapping[str, Any]) -> WorkInput:
    match stored:
        case {"text": text}:
            return TextInput(texts=(text,), single=True)
        case {"texts": texts}:
            return TextInput(texts=tuple(texts), single=False)
        case {"tensors": tensors}:
            return TensorInput(tensors=read_tensors(tensors))
    raise ValueError(f"not a stored input: {names_in_words(sorted(stored))}")


def _kind(raw: object) -> str:
    match raw:
        case None:
            return "null"
        case bool() | int() | float():
            return f"the value {value_in_words(raw)}"
        case list():
            odd = [value_in_words(item) for item in raw if not isinstance(item, str)]
            return f"a list with {odd[0]} in it" if odd else "an empty list"
        case dict():
            return f"an object with the keys {names_in_words(sorted(map(str, raw)))}"
    return value_in_words(raw)
