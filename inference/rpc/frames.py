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
    parts: list[Buffer] = []
    before = between(header, [len(buffer) for buffer in buffers])
    for gap, buffer in zip(before, buffers, strict=False):
        parts += [gap, buffer]
    return b"".join(parts) if buffers else before[0]


def between(header: Mapping[str, Json], sizes: Sequence[int]) -> list[bytes]:
    """Return the bytes of a message before each of its buffers, of which only the sizes matter. Without buffers, they
    are the whole message.
    """
    # A lone half of a surrogate pair must not break the transport. It is up to the model to refuse it.
    text = _JSON.encode({**header, _SIZES: sizes}).encode("utf-8", "surrogatepass")
    head = _HEAD.pack(VERSION, len(text)) + text
    written, gaps = len(head), []
    for size in sizes:
        gaps.append(bytes(-written % ALIGNMENT))
        written += len(gaps[-1]) + size
    return [head + gaps[0], *gaps[1:]] if gaps else [head]


def unpack(data: Buffer) -> tuple[dict[str, Any], list[memoryview]]:
    """Return the header and the buffers of a message. No memory is allocated beyond what arrived, because the buffers
    are views of `data`.
    """
    text, end = header_of(data)
    header = _header(text)
    sizes = header.pop(_SIZES, None)
    if not isinstance(sizes, list):
        raise MessageMalformed("a header that does not count its buffers")
    return header, buffers_of(sizes, memoryview(data), end)


def header_of(data: Buffer) -> tuple[memoryview, int]:
    """Return the header's JSON and where it ends."""
    view = memoryview(data)
    if len(view) < _HEAD.size:
        raise MessageMalformed(f"{len(view)} bytes are no message")
    version, length = _HEAD.unpack_from(view)
    if version != VERSION:
        raise MessageMalformed(f"a message of version {version}; this process reads version {VERSION}")
    end = _HEAD.size + length
    if end > len(view):
        raise MessageMalformed(f"a header of {length} bytes in a message of {len(view)}")
    return view[_HEAD.size : end], end


def _header(text: memoryview) -> dict[str, Any]:
    try:
        header = json.loads(bytes(text).decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise MessageMalformed(f"a header that is not JSON: {error}") from error
    if not isinstance(header, dict):
        raise MessageMalformed(f"a header that is a {type(header).__name__}, not an object")
    return header


def buffers_of(sizes: Sequence[Json], view: memoryview, start: int) -> list[memoryview]:
    """Return the buffers of a message whose header ends at `start`."""
    buffers = []
    for size in sizes:
        start += -start % ALIGNMENT
        if type(size) is not int or not 0 <= size <= len(view) - start:
            raise MessageMalformed(f"a buffer of {str(size)[:20]} bytes, which the message does not hold")
        buffers.append(view[start : start + size])
        start += size
    return buffers
