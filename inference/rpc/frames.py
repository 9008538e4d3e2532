"""Pack a message as bytes: a version, a JSON header, and raw buffers whose sizes are in the header."""

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from inference.core.contracts import Json
from inference.rpc.errors import MessageMalformed

VERSION = 1
ALIGNMENT = 8
"""The alignment of buffers, which lets numbers be read without a copy."""

_HEAD = struct.Struct("<BI")
_SIZES = "#"
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)

Buffer = bytes | memoryview


def pack(header: Mapping[str, Json], buffers: Sequence[Buffer] = ()) -> bytes:
    # A lone half of a surrogate pair must not break the transport. It is up to the model to refuse it.
    said = {**header, _SIZES: [len(buffer) for buffer in buffers]}
    text = _JSON.encode(said).encode("utf-8", "surrogatepass")
    parts: list[Buffer] = [_HEAD.pack(VERSION, len(text)), text]
    written = _HEAD.size + len(text)
    for buffer in buffers:
        gap = -written % ALIGNMENT
        parts += [bytes(gap), buffer]
        written += gap + len(buffer)
    return b"".join(parts)


def unpack(data: Buffer) -> tuple[dict[str, Any], list[memoryview]]:
    """Return the header and the buffers of a message. No memory is allocated beyond what arrived, because the buffers
    are views of `data`.
    """
    view = memoryview(data)
    if len(view) < _HEAD.size:
        raise MessageMalformed(f"{len(view)} bytes are no message")
    version, length = _HEAD.unpack_from(view)
    if version != VERSION:
        raise MessageMalformed(f"a message of version {version}; this process reads version {VERSION}")
    end = _HEAD.size + length
    if end > len(view):
        raise MessageMalformed(f"a header of {length} bytes in a message of {len(view)}")
    header = _header(view[_HEAD.size : end])
    return header, _buffers(header.pop(_SIZES, None), view, end)


def _header(text: memoryview) -> dict[str, Any]:
    try:
        header = json.loads(bytes(text).decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise MessageMalformed(f"a header that is not JSON: {error}") from error
    if not isinstance(header, dict):
        raise MessageMalformed(f"a header that is a {type(header).__name__}, not an object")
    return header


def _buffers(sizes: Json, view: memoryview, start: int) -> list[memoryview]:
    if not isinstance(sizes, list):
        raise MessageMalformed("a header that does not count its buffers")
    buffers = []
    for size in sizes:
        start += -start % ALIGNMENT
        if type(size) is not int or not 0 <= size <= len(view) - start:
            raise MessageMalformed(f"a buffer of {str(size)[:20]} bytes, which the message does not hold")
        buffers.append(view[start : start + size])
        start += size
    return buffers
