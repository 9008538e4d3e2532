"""Parse an inference request: JSON, followed by the tensors that are sent as bytes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn, Protocol

from inference.core.contracts import Json, WorkRefused
from inference.gateway.described import describe
from inference.gateway.json_parts import MAX_MARKS, MAX_VALUES, has_too_many_parts
from inference.gateway.open_inference.binary import BYTES, MAX_TEXTS, read_binary
from inference.gateway.open_inference.errors import InvalidRequest
from inference.gateway.open_inference.request_fields import (
    checked_id,
    checked_name,
    checked_shape,
    flag,
    objects,
    parameters_of,
    timeout_s,
)
from inference.gateway.repeated_names import RepeatedName, strict_decoder
from inference.runtime.tensor_requests import read_tensor
from inference.runtime.tensors import Array
from tenants.core.errors import DomainError
from tenants.core.messages import value_in_words

MAX_TENSORS = 64
"""The most inputs of a request, and the most outputs."""
MAX_INDEX_BYTES = 4096
"""The most bytes of an index request, which can contain only one flag."""
BINARY_SIZE = "binary_data_size"
_NOT_HERE = {
    "shared_memory": "Shared memory is not for callers over a network; send the values in the body.",
    "classification": "The classification extension is not supported; ask for the scores and sort them.",
    "sequence": "Sequences are not supported: every request stands for itself.",
}


@dataclass(frozen=True, slots=True)
class WantedOutput:
    name: str
    binary: bool


@dataclass(frozen=True, slots=True)
class InferRequest:
    tensors: Mapping[str, Array]
    id: str | None = None
    wanted: tuple[WantedOutput, ...] = ()
    """The outputs that the caller wants, or empty for all."""
    all_binary: bool = False
    """True if all outputs are wanted as bytes. This counts only if `wanted` is empty."""
    timeout_s: float | None = None
    parameters: Mapping[str, Json] | None = None
    """The parameters that are for the model itself."""


class Values(Protocol):
    """The source of the values of a request's inputs."""

    def tensor(self, position: int, one: dict[str, Json], where: str) -> Array:
        """Return the tensor of the input at this position. Its name, parameters and shape have been checked. May raise
        WorkRefused.
        """
        ...

    def check_end(self) -> None:
        """Raise if values are left over. This is called after the last input."""
        ...


def json_length(header: str | None, size: int, most: int) -> int:
    """Return the length of the JSON at the beginning of the body. Without a header that gives it, the whole body is
    JSON.
    """
    length = size if header is None else _length(header, size)
    if length > most:
        raise DomainError(
            f"The body's JSON has {length} bytes; at most {most} are read. Send large tensors as bytes, by the binary "
            "data extension.",
            code="request_too_large",
        )
    return length


def read_request(body: bytes, length: int) -> InferRequest:
    """Parse the request. `length` is the length of the JSON in the body."""
    try:
        return request_of(_json(body[:length]), _BodyValues(memoryview(body)[length:]))
    except WorkRefused as refused:
        raise InvalidRequest(f"{refused.detail}.") from refused
    except RecursionError as error:
        raise InvalidRequest("The body's JSON is nested too deep.") from error


def wants_only_ready(body: bytes) -> bool:
    """Return whether an index request asks only for models that are ready. An empty body asks for all models."""
    if len(body) > MAX_INDEX_BYTES:
        raise DomainError(
            f"The body has {len(body)} bytes; what is asked of the index has at most {MAX_INDEX_BYTES}.",
            code="request_too_large",
        )
    return flag(_json(body).get("ready", False), "ready") if body.strip() else False


def _length(written: str, most: int) -> int:
    if not (written.isascii() and written.isdecimal() and len(written) < 20 and int(written) <= most):
        raise InvalidRequest(
            f"Inference-Header-Content-Length is {written[:40]!r}; it must be how many of the body's {most} bytes "
            "are its JSON."
        )
    return int(written)


def _json(text: bytes) -> dict[str, Json]:
    if has_too_many_parts(text):
        raise InvalidRequest(
            f"The body cannot be read as JSON: it has more than {MAX_VALUES} values, or more than {MAX_MARKS} lists, "
            "objects and keys. Send large tensors as bytes, by the binary data extension, or at least as flat lists."
        )
    try:
        value = _DECODER.decode(text.decode("utf-8-sig"))
    except RepeatedName as error:
        raise InvalidRequest(str(error)) from None
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"The body cannot be read as JSON: {error}.") from error
    if not isinstance(value, dict):
        raise InvalidRequest(f"The body must be a JSON object; it is {describe(value)}.")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidRequest(f"JSON has no {name}; send such values as bytes, by the binary data extension.")


_DECODER = strict_decoder(_refuse_constant)


def request_of(said: dict[str, Json], values: Values) -> InferRequest:
    """Return the request. `said` is its JSON, in which the values may be missing. Raises WorkRefused if an input is not
    a tensor.
    """
    parameters = parameters_of(said, "the request")
    all_binary = flag(parameters.pop("binary_data_output", False), "binary_data_output")
    _refuse_sequences(parameters)
    # The parameter is ignored: it is for models that declare priority levels, and no model here does.
    parameters.pop("priority", None)
    outputs = objects(said, "outputs", MAX_TENSORS) if said.get("outputs") is not None else ()
    return InferRequest(
        tensors=_tensors(objects(said, "inputs", MAX_TENSORS), values),
        id=checked_id(said.get("id")),
        wanted=_wanted(outputs, all_binary),
        all_binary=all_binary,
        timeout_s=timeout_s(parameters.pop("timeout", 0)),
        parameters=parameters,
    )


def _tensors(inputs: Sequence[dict[str, Json]], values: Values) -> dict[str, Array]:
    tensors: dict[str, Array] = {}
    for position, one in enumerate(inputs):
        where = f"inputs[{position}]"
        name = checked_name(one, where)
        _refuse_extensions(parameters_of(one, where), where)
        if name in tensors:
            raise InvalidRequest(f"The input '{name}' is given twice.")
        checked_shape(one, where)
        tensors[name] = values.tensor(position, one, where)
    values.check_end()
    return tensors


class _BodyValues:
    """The values of inputs that are in the JSON itself, or one after another in the bytes that follow it."""

    def __init__(self, binary: memoryview) -> None:
        self._binary = binary
        self._start = 0
        self._texts = 0

    def tensor(self, position: int, one: dict[str, Json], where: str) -> Array:
        size = parameters_of(one, where).get(BINARY_SIZE)
        if size is None:
            return read_tensor(one, where)[1]
        left = len(self._binary) - self._start
        if type(size) is not int or not 0 <= size <= left:
            raise InvalidRequest(
                f"{where} says that it has {value_in_words(size)} bytes; {left} are left after the JSON."
            )
        tensor = _binary_tensor(one, where, self._binary[self._start : self._start + size])
        self._start += size
        self._texts += tensor.size if one["datatype"] == BYTES else 0
        if self._texts > MAX_TEXTS:
            raise InvalidRequest(
                f"There are more than {MAX_TEXTS} texts as bytes in the request; send fewer at a time."
            )
        return tensor

    def check_end(self) -> None:
        if self._start != len(self._binary):
            raise InvalidRequest(f"{len(self._binary) - self._start} bytes of the body belong to no input.")


def _binary_tensor(one: dict[str, Json], where: str, buffer: memoryview) -> Array:
    match one:
        case {"data": _}:
            raise InvalidRequest(f"{where} has both `data` and {BINARY_SIZE}; one of them is wanted.")
        case {"name": str(name), "datatype": str(datatype), "shape": list(shape)}:
            return read_binary(name, datatype, shape, buffer)
    raise InvalidRequest(f"{where} must have a name, a datatype and a shape.")


def _wanted(outputs: Sequence[dict[str, Json]], all_binary: bool) -> tuple[WantedOutput, ...]:
    wanted: dict[str, WantedOutput] = {}
    for position, one in enumerate(outputs):
        where = f"outputs[{position}]"
        name = checked_name(one, where)
        parameters = parameters_of(one, where)
        _refuse_extensions(parameters, where)
        if name in wanted:
            raise InvalidRequest(f"The output '{name}' is asked for twice.")
        binary = flag(parameters.get("binary_data", all_binary), f"binary_data of {where}")
        wanted[name] = WantedOutput(name, binary)
    return tuple(wanted.values())


def _refuse_extensions(parameters: Mapping[str, Json], where: str) -> None:
    for name, value in parameters.items():
        for extension, why in _NOT_HERE.items():
            if name.startswith(extension) and value:
                raise InvalidRequest(f"{where} asks for {name[:60]!r}. {why}")


def _refuse_sequences(parameters: dict[str, Json]) -> None:
    for name in ("sequence_id", "sequence_start", "sequence_end"):
        if parameters.pop(name, None):
            raise InvalidRequest(f"The request has {name}. {_NOT_HERE['sequence']}")
