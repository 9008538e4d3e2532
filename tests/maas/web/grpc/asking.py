"""A caller that sends the protocol's messages without a client library in between."""

from typing import Any

import grpc
from tritonclient.grpc import service_pb2
from tritonclient.grpc.service_pb2_grpc import GRPCInferenceServiceStub

MAX_BYTES = 1_000_000
TIMEOUT_S = 60


class Caller:
    def __init__(self, channel: grpc.Channel, key: str) -> None:
        self.channel = channel
        self.metadata = (("authorization", f"Bearer {key}"),)
        self.stub = GRPCInferenceServiceStub(channel)

    def infer(self, model: str, *texts: str, timeout: float = TIMEOUT_S) -> Any:
        return self.stub.ModelInfer(asked(model, *texts), metadata=self.metadata, timeout=timeout)

    def start(self, model: str, *texts: str, timeout: float = TIMEOUT_S) -> Any:
        return self.stub.ModelInfer.future(asked(model, *texts), metadata=self.metadata, timeout=timeout)


def asked(model: str, *texts: str) -> Any:
    request = service_pb2.ModelInferRequest(model_name=model)
    tensor = request.inputs.add(name="text", datatype="BYTES", shape=[len(texts)])
    tensor.contents.bytes_contents.extend(text.encode() for text in texts)
    return request
