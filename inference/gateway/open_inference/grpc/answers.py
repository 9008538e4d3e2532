"""Write a ModelInferResponse, and the messages that a stream of responses consists of. Tensors are always written as
bytes, in whatever form the input was sent.
"""

from collections.abc import Sequence

from inference.gateway.open_inference.answers import GivenOutput
from inference.gateway.open_inference.binary import write_binary
from inference.gateway.open_inference.grpc.messages import message
from inference.gateway.open_inference.grpc.wire import written_field
from inference.runtime.tensors import datatype_of

RAW_OUTPUTS = 6
"""The number of a field of ModelInferResponse."""
ANSWER = 2
"""The number of a field of ModelStreamInferResponse."""


def write_response(model: str, version: int, request_id: str | None, outputs: Sequence[GivenOutput]) -> bytes:
    """Write the response. Its tensors have the same bytes as those that follow the JSON over HTTP."""
    head = message("ModelInferResponse")(
        model_name=model,
        model_version=str(version),
        id=request_id or "",
        outputs=[{"name": one.name, "shape": one.tensor.shape, "datatype": datatype_of(one.tensor)} for one in outputs],
    )
    parts = [head.SerializeToString()]
    for one in outputs:
        parts += written_field(RAW_OUTPUTS, write_binary(one.tensor))
    return b"".join(parts)


def in_stream(response: bytes) -> bytes:
    return b"".join(written_field(ANSWER, response))


def refused_in_stream(words: str) -> bytes:
    written: bytes = message("ModelStreamInferResponse")(error_message=words).SerializeToString()
    return written
