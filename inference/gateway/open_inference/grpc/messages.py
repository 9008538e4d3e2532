"""Load the protocol's messages from messages.proto. They are in a separate descriptor pool, because a client in the
same process may have loaded its own.
"""

from functools import cache
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from inference.gateway.open_inference.errors import InvalidRequest

DESCRIBED = Path(__file__).with_name("messages.binpb")


@cache
def message(name: str) -> Any:
    """Return the message class with this name."""
    return GetMessageClass(_pool().FindMessageTypeByName(f"inference.{name}"))


def read_message(name: str, written: bytes) -> Any:
    try:
        return message(name).FromString(written)
    except DecodeError as error:
        raise InvalidRequest(f"The message cannot be read as {name}: {error}.") from error


@cache
def _pool() -> DescriptorPool:
    pool = DescriptorPool()
    for file in FileDescriptorSet.FromString(DESCRIBED.read_bytes()).file:
        pool.AddSerializedFile(file.SerializeToString())
    return pool
