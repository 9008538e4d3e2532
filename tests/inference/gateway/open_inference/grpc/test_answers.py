import numpy as np
import pytest
from tritonclient.grpc import service_pb2

from inference.gateway.open_inference.answers import GivenOutput, write_answer
from inference.gateway.open_inference.grpc.answers import in_stream, refused_in_stream, write_response

OUTPUTS = [
    GivenOutput("numbers", np.arange(6, dtype=np.float32).reshape(2, 3), True),
    GivenOutput("texts", np.array(["ä", ""], object), True),
    GivenOutput("none", np.empty((0, 2), np.int8), True),
]


@pytest.mark.parametrize("request_id", [None, "7"])
def test_an_answer_is_a_response_of_the_protocol(request_id: str | None) -> None:
    read = service_pb2.ModelInferResponse.FromString(write_response("m", 3, request_id, OUTPUTS))
    assert (read.model_name, read.model_version, read.id) == ("m", "3", request_id or "")
    assert [(one.name, one.datatype, list(one.shape)) for one in read.outputs] == [
        ("numbers", "FP32", [2, 3]),
        ("texts", "BYTES", [2]),
        ("none", "INT8", [0, 2]),
    ]
    assert len(read.raw_output_contents) == 3


def test_the_bytes_are_those_that_http_gives() -> None:
    read = service_pb2.ModelInferResponse.FromString(write_response("m", 3, None, OUTPUTS))
    over_http = write_answer("m", 3, None, OUTPUTS)
    assert b"".join(read.raw_output_contents) == over_http.body[over_http.header_length :]


def test_a_stream_has_answers_and_refusals() -> None:
    response = write_response("m", 3, "7", OUTPUTS)
    read = service_pb2.ModelStreamInferResponse.FromString(in_stream(response))
    assert (read.error_message, read.infer_response.SerializeToString()) == (
        "",
        service_pb2.ModelInferResponse.FromString(response).SerializeToString(),
    )
    refused = service_pb2.ModelStreamInferResponse.FromString(refused_in_stream("no such model"))
    assert (refused.error_message, refused.HasField("infer_response")) == ("no such model", False)
