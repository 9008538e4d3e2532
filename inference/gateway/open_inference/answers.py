"""Write the answer of a model: JSON, followed by the tensors that are wanted as bytes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from inference.core.contracts import Json
from inference.gateway.open_inference.binary import write_binary
from inference.gateway.open_inference.errors import InvalidRequest
from inference.gateway.open_inference.requests import BINARY_SIZE
from inference.runtime.tensors import Array, datatype_of, write_tensor

HEADER_LENGTH = b"inference-header-content-length"
JSON_TYPE = "application/json"
BINARY_TYPE = "application/octet-stream"
_write = msgspec.json.Encoder().encode
AT_ONCE = 4096
"""The number of values that are turned into JSON at a time."""


@dataclass(frozen=True, slots=True)
class GivenOutput:
    name: str
    tensor: Array
    binary: bool


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    body: bytes
    header_length: int | None
    """The length of the JSON if bytes follow it, otherwise None."""

    @property
    def content_type(self) -> str:
        return JSON_TYPE if self.header_length is None else BINARY_TYPE


def write_answer(model: str, version: int, request_id: str | None, outputs: Sequence[GivenOutput]) -> WrittenAnswer:
    """Write the answer. Raises InvalidRequest if JSON is wanted for values that JSON cannot express."""
    said: dict[str, Json] = {"model_name": model, "model_version": str(version)}
    if request_id is not None:
        said["id"] = request_id
    buffers: list[bytes] = []
    described = ",".join(_described(output, buffers) for output in outputs)
    text = f'{_text(said)[:-1]},"outputs":[{described}]}}'.encode()
    if not buffers:
        return WrittenAnswer(text, None)
    return WrittenAnswer(b"".join([text, *buffers]), len(text))


def _described(output: GivenOutput, buffers: list[bytes]) -> str:
    if not output.binary:
        return _in_json(output.name, output.tensor)
    buffer = write_binary(output.tensor)
    buffers.append(buffer)
    return _text(
        {
            "name": output.name,
            "shape": list(output.tensor.shape),
            "datatype": datatype_of(output.tensor),
            "parameters": {BINARY_SIZE: len(buffer)},
        }
    )


def _in_json(name: str, tensor: Array) -> str:
    if tensor.dtype.kind == "f" and not np.isfinite(tensor).all():
        raise InvalidRequest(
            f"The output '{name}' holds NaN or infinity, which JSON cannot say. Ask for it as bytes, with "
            "`binary_data` of the output or `binary_data_output` of the request."
        )
    said = write_tensor(name, tensor)
    values: list[Json] = said.pop("data")
    # The values are written in pieces, because turning values into text blocks every thread of the process.
    pieces = (_values(values[start : start + AT_ONCE]) for start in range(0, len(values), AT_ONCE))
    return f'{_text(said)[:-1]},"data":[{",".join(pieces)}]}}'


def _values(values: list[Json]) -> str:
    return _write(values).decode()[1:-1]


def _text(value: Json) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))
