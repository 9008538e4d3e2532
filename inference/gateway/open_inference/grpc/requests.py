"""Read a ModelInferRequest: its fields in the form that the JSON would have, and its tensors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inference.core.contracts import Json, WorkRefused
from inference.gateway.open_inference.errors import InvalidRequest
from inference.gateway.open_inference.grpc.messages import read_message
from inference.gateway.open_inference.grpc.values import MessageValues
from inference.gateway.open_inference.grpc.wire import SplitRequest
from inference.gateway.open_inference.requests import InferRequest, request_of


@dataclass(frozen=True, slots=True)
class ReadCall:
    message: Any
    """The request without the bytes of its tensors."""
    raw: tuple[memoryview, ...]

    @property
    def reference(self) -> str:
        version = self.message.model_version
        return f"{self.message.model_name}@{version}" if version else str(self.message.model_name)

    def request(self) -> InferRequest:
        try:
            return request_of(_said(self.message), MessageValues(self.message.inputs, self.raw))
        except WorkRefused as refused:
            raise InvalidRequest(f"{refused.detail}.") from refused


def read_call(split: SplitRequest) -> ReadCall:
    return ReadCall(read_message("ModelInferRequest", split.head), split.raw)


def _said(message: Any) -> dict[str, Json]:
    return {
        "id": message.id or None,
        "parameters": {**_parameters(message.parameters), "binary_data_output": True},
        "inputs": [
            {
                "name": one.name,
                "datatype": one.datatype,
                "shape": list(one.shape),
                "parameters": _parameters(one.parameters),
            }
            for one in message.inputs
        ],
        "outputs": [{"name": one.name, "parameters": _parameters(one.parameters)} for one in message.outputs],
    }


def _parameters(written: Mapping[str, Any]) -> dict[str, Json]:
    return {name: _parameter(one) for name, one in written.items()}


def _parameter(one: Any) -> Json:
    """Return the value of the parameter. Returns None if it has no value, and it is then refused."""
    choice = one.WhichOneof("parameter_choice")
    return None if choice is None else getattr(one, choice)
