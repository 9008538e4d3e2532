"""Reads one line of a batch's file, and checks it as far as the line alone allows."""

import json
import re
from dataclasses import dataclass
from typing import Any

from inference.gateway.json_parts import MAX_MARKS, has_too_many_parts
from inference.gateway.repeated_names import RepeatedName, strict_decoder

EMBEDDINGS = "/v1/embeddings"
INFER = re.compile(r"/v2/models/(?P<model>[^/]+)(?:/versions/(?P<version>[^/]+))?/infer")
METHOD = "POST"
LONGEST_CUSTOM_ID = 512
ENVELOPE_BYTES = 64 << 10
"""The bytes that a line may have in addition to its body."""
TEXT_BYTES = 4096
"""The bytes of a body that weigh as much as one text in a list."""
_DECODER = strict_decoder()


class LineFault(Exception):
    """The fault of a line, as it appears in the `errors` of a batch."""

    def __init__(self, code: str, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.param = param


@dataclass(frozen=True, slots=True)
class BatchLine:
    number: int
    """The number of the line in the file, counted from 1 as editors do."""
    custom_id: str
    body: dict[str, Any]
    model: str
    """The model that the body or the URL names."""

    @property
    def written_body(self) -> bytes:
        return json.dumps(self.body, separators=(",", ":")).encode()


def model_of_endpoint(endpoint: str) -> str | None:
    """Return the reference to a model that the URL itself names, or None."""
    found = INFER.fullmatch(endpoint)
    if found is None:
        return None
    return f"{found['model']}@{found['version']}" if found["version"] else found["model"]


def is_endpoint(endpoint: str) -> bool:
    return endpoint == EMBEDDINGS or INFER.fullmatch(endpoint) is not None


def read_line(raw: bytes, number: int, endpoint: str) -> BatchLine:
    """Read a line. Raises LineFault."""
    fields = _object(raw)
    for name in ("custom_id", "method", "url", "body"):
        if fields.get(name) is None:
            raise LineFault("missing_required_parameter", f"Missing required parameter: '{name}'.", name)
    custom_id, body = _custom_id(fields["custom_id"]), fields["body"]
    if fields["method"] != METHOD:
        raise LineFault("invalid_method", f"'method' must be '{METHOD}'.", "method")
    if fields["url"] != endpoint:
        raise LineFault(
            "invalid_url",
            f"'url' must be the batch's endpoint {endpoint!r}; it is {_shown(fields['url'])}.",
            "url",
        )
    if not isinstance(body, dict):
        raise LineFault("invalid_type", "'body' must be a JSON object.", "body")
    return BatchLine(number, custom_id, body, model_of_endpoint(endpoint) or _model(body))


def texts_in(line: BatchLine) -> int:
    given = line.body.get("input")
    return len(given) if isinstance(given, list) and given and not isinstance(given[0], int) else 1


def rows_in(line: BatchLine) -> int:
    """Return the largest number of rows that a tensor of the line claims to have. A value that is no number is refused
    when the line is run.
    """
    tensors = line.body.get("inputs")
    shapes = (
        [tensor.get("shape") for tensor in tensors if isinstance(tensor, dict)] if isinstance(tensors, list) else []
    )
    sizes = [shape[0] for shape in shapes if isinstance(shape, list) and shape and type(shape[0]) is int]
    return max(1, *sizes) if sizes else 1


def weight_of(line: BatchLine, size_bytes: int) -> int:
    """Return about how many texts the line holds. This weighs what the line requests at once and what its response
    takes.
    """
    return max(texts_in(line), 1 + size_bytes // TEXT_BYTES)


def _object(raw: bytes) -> dict[str, Any]:
    if has_too_many_parts(raw, MAX_MARKS):
        raise LineFault("invalid_json_line", "This line has too many lists, objects and values.")
    try:
        value = _DECODER.decode(raw.decode())
    except RepeatedName as error:
        raise LineFault("invalid_json_line", str(error)) from None
    except UnicodeDecodeError as error:
        raise LineFault(
            "invalid_json_line", f"This line is not UTF-8: {error.reason} at its byte {error.start}."
        ) from None
    except RecursionError:
        raise LineFault("invalid_json_line", "This line's JSON is nested too deeply.") from None
    except ValueError as error:
        raise LineFault("invalid_json_line", f"This line is not valid JSON: {error}.") from None
    if not isinstance(value, dict):
        raise LineFault("invalid_json_line", "This line must be a JSON object.")
    return value


def _custom_id(given: object) -> str:
    if not isinstance(given, str) or not given:
        raise LineFault("invalid_type", "'custom_id' must be a string.", "custom_id")
    if len(given) > LONGEST_CUSTOM_ID:
        raise LineFault("invalid_value", f"'custom_id' is longer than {LONGEST_CUSTOM_ID} characters.", "custom_id")
    return given


def _model(body: dict[str, Any]) -> str:
    model = body.get("model")
    if model is None:
        raise LineFault("missing_required_parameter", "Missing required parameter: 'body.model'.", "body.model")
    if not isinstance(model, str):
        raise LineFault("invalid_type", "'body.model' must be a string.", "body.model")
    return model


def _shown(value: object) -> str:
    return ascii(value)[:80]
