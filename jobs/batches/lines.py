"""One line of a batch's file: read, and checked as far as the line alone can tell."""

import json
import re
from dataclasses import dataclass
from typing import Any

from inference.gateway.json_parts import MOST_MARKS, has_too_many_parts
from inference.gateway.repeated_names import RepeatedName, strict_decoder

EMBEDDINGS = "/v1/embeddings"
INFER = re.compile(r"/v2/models/(?P<model>[^/]+)(?:/versions/(?P<version>[^/]+))?/infer")
METHOD = "POST"
LONGEST_CUSTOM_ID = 512
ENVELOPE_BYTES = 64 << 10
"""What a line may have beside its body."""
TEXT_BYTES = 4096
"""So much of a body weighs as much as one text in a list."""
_DECODER = strict_decoder()


class LineFault(Exception):
    """What is wrong with a line, as a batch's `errors` tell it."""

    def __init__(self, code: str, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.param = param


@dataclass(frozen=True, slots=True)
class BatchLine:
    number: int
    """In the file, from 1, as an editor counts."""
    custom_id: str
    body: dict[str, Any]
    model: str
    """The one that the body or the address names."""

    @property
    def written_body(self) -> bytes:
        return json.dumps(self.body, separators=(",", ":")).encode()


def model_of_endpoint(endpoint: str) -> str | None:
    """The reference to a model that the address itself names."""
    found = INFER.fullmatch(endpoint)
    if found is None:
        return None
    return f"{found['model']}@{found['version']}" if found["version"] else found["model"]


def is_endpoint(endpoint: str) -> bool:
    return endpoint == EMBEDDINGS or INFER.fullmatch(endpoint) is not None


def read_line(raw: bytes, number: int, endpoint: str) -> BatchLine:
    """Raises LineFault."""
    said = _object(raw)
    for name in ("custom_id", "method", "url", "body"):
        if said.get(name) is None:
            raise LineFault("missing_required_parameter", f"Missing required parameter: '{name}'.", name)
    custom_id, body = _custom_id(said["custom_id"]), said["body"]
    if said["method"] != METHOD:
        raise LineFault("invalid_method", f"'method' must be '{METHOD}'.", "method")
    if said["url"] != endpoint:
        raise LineFault(
            "invalid_url",
            f"'url' must be the batch's endpoint {endpoint!r}; it is {_shown(said['url'])}.",
            "url",
        )
    if not isinstance(body, dict):
        raise LineFault("invalid_type", "'body' must be a JSON object.", "body")
    return BatchLine(number, custom_id, body, model_of_endpoint(endpoint) or _model(body))


def texts_in(line: BatchLine) -> int:
    given = line.body.get("input")
    return len(given) if isinstance(given, list) and given and not isinstance(given[0], int) else 1


def rows_in(line: BatchLine) -> int:
    """The most that a tensor of it says to have: what is no number is refused when the line is run."""
    tensors = line.body.get("inputs")
    shapes = (
        [one.get("shape") for one in tensors if isinstance(one, dict)] if isinstance(tensors, list) else []
    )
    sizes = [shape[0] for shape in shapes if isinstance(shape, list) and shape and type(shape[0]) is int]
    return max(1, *sizes) if sizes else 1


def weight_of(line: BatchLine, size_bytes: int) -> int:
    """About how many texts it holds: what a line asks for at once, and what its answer takes."""
    return max(texts_in(line), 1 + size_bytes // TEXT_BYTES)


def _object(raw: bytes) -> dict[str, Any]:
    if has_too_many_parts(raw, MOST_MARKS):
        raise LineFault("invalid_json_line", "This line has more lists, objects and values than are read.")
    try:
        said = _DECODER.decode(raw.decode())
    except RepeatedName as error:
        raise LineFault("invalid_json_line", str(error)) from None
    except UnicodeDecodeError as error:
        raise LineFault(
            "invalid_json_line", f"This line is not UTF-8: {error.reason} at its byte {error.start}."
        ) from None
    except RecursionError:
        raise LineFault("invalid_json_line", "This line's JSON is nested too deeply.") from None
    except ValueError as error:
        raise LineFault("invalid_json_line", f"This line is not parseable as valid JSON: {error}.") from None
    if not isinstance(said, dict):
        raise LineFault("invalid_json_line", "This line must be a JSON object.")
    return said


def _custom_id(given: object) -> str:
    if not isinstance(given, str) or not given:
        raise LineFault("invalid_type", "'custom_id' must be a text.", "custom_id")
    if len(given) > LONGEST_CUSTOM_ID:
        raise LineFault(
            "invalid_value", f"'custom_id' is longer than {LONGEST_CUSTOM_ID} characters.", "custom_id"
        )
    return given


def _model(body: dict[str, Any]) -> str:
    model = body.get("model")
    if model is None:
        raise LineFault(
            "missing_required_parameter", "Missing required parameter: 'body.model'.", "body.model"
        )
    if not isinstance(model, str):
        raise LineFault("invalid_type", "'body.model' must be a text.", "body.model")
    return model


def _shown(value: object) -> str:
    return ascii(value)[:80]
