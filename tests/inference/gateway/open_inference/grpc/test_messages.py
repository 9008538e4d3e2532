"""Compare our description of the protocol with that of the published client."""

import sys
from typing import Any

import pytest
from google.protobuf import descriptor_pool
from grpc_tools import protoc
from tritonclient.grpc import service_pb2

from inference.gateway.open_inference.errors import InvalidRequest
from inference.gateway.open_inference.grpc.messages import DESCRIBED, message, read_message

assert service_pb2 in sys.modules.values()  # which is what fills the pool below
NAMES = [
    *(
        f"{method}{side}"
        for method in (
            "ServerLive",
            "ServerReady",
            "ModelReady",
            "ServerMetadata",
            "ModelMetadata",
            "ModelInfer",
            "ModelConfig",
            "ModelStatistics",
            "RepositoryIndex",
        )
        for side in ("Request", "Response")
    ),
    "ModelStreamInferResponse",
]


def seen_from(descriptor: Any) -> dict[str, Any]:
    """Return how every field below a message is sent on the wire, by the field's path."""
    return {
        f"{descriptor.full_name}.{field.name}": (field.number, field.type, field.is_repeated)
        for field in descriptor.fields
    } | {
        path: wire
        for field in descriptor.fields
        if field.message_type is not None
        for path, wire in seen_from(field.message_type).items()
    }


@pytest.mark.parametrize("name", NAMES)
def test_every_field_is_the_protocols(name: str) -> None:
    ours = seen_from(message(name).DESCRIPTOR)
    theirs = seen_from(descriptor_pool.Default().FindMessageTypeByName(f"inference.{name}"))
    assert ours == {path: theirs.get(path) for path in ours}


def test_types_in_configurations_have_the_protocols_numbers() -> None:
    field = message("ModelInput").DESCRIPTOR.fields_by_name["data_type"]
    theirs = descriptor_pool.Default().FindEnumTypeByName("inference.DataType").values_by_name
    assert {value.name: value.number for value in field.enum_type.values} == {
        value.name: theirs[value.name].number for value in field.enum_type.values
    }


def test_what_is_loaded_is_what_is_written(tmp_path: Any) -> None:
    made = tmp_path / "made"
    source = DESCRIBED.with_suffix(".proto")
    assert not protoc.main(["", f"-I{source.parent}", f"--descriptor_set_out={made}", str(source)])
    assert made.read_bytes() == DESCRIBED.read_bytes(), "run `make messages`"


def test_a_message_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="cannot be read as ModelReadyRequest"):
        read_message("ModelReadyRequest", b"\x0a\xff")
