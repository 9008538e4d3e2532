"""Pack a message as bytes: a version, a JSON header, and raw buffers whose sizes are in the header."""

import json
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from inference.core.contracts import Json
from inference.rpc.errors import MessageMalformed

VERSION = 1
ALIGNMENT = 8
"""The alignment of buffers, which lets numbers be read without a copy."""

_HEAD = struct.Struct("<BI")
SIZES = "#"
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)

Buffer = bytes | memoryview


def pack(header: Mapping[str, Json], buffers: Sequence[Buffer] = ()) -> bytes:
    return pack_text(json_text({**header, SIZES: [len(buffer) for buffer in buffers]}), buffers)


def json_text(value: Json) -> bytes:
    # A lone half of a surrogate pair must not break the transport. It is up to the model to refuse it.
    return _JSON.encode(value).encode("utf-8", "surrogatepass")


def pack_text(text: bytes, buffers: Sequence[Buffer]) -> bytes:
    """Return the message of a header that has been written as JSON, with the sizes of its buffers."""
    parts: list[Buffer] = [_HEAD.pack(VERSION, len(text)), text]
    for gap, buffer in zip(_gaps(text, map(len, buffers)), buffers, strict=True):
        parts += [gap, buffer]
    return b"".join(parts)


def between(header: Mapping[str, Json], sizes: Sequence[int]) -> list[bytes]:
    """Return the bytes of a message before each of its buffers, of which only the sizes matter."""
    text = json_text({**header, SIZES: sizes})
    first, *others = _gaps(text, sizes)
    return [_HEAD.pack(VERSION, len(text)) + text + first, *others]


def _gaps(text: bytes, sizes: Iterable[int]) -> Iterator[bytes]:
    """Yield the bytes that align each of the buffers that follow the header."""
    written = _HEAD.size + len(text)
    for size in sizes:
        gap = bytes(-written % ALIGNMENT)
        yield gap
        written += len(gap) + size


def unpack(data: Buffer) -> tuple[dict[str, Any], list[memoryview]]:
    """Return the header and the buffers of a message. No memory is allocated beyond what arrived, because the buffers
    are views of `data`.
    """
    text, view = split(data)
    header = read_header(text)
    places = places_of(header, text, len(view))
    del header[SIZES]
    return header, [view[place] for place in places]


def split(data: Buffer) -> tuple[bytes, memoryview]:
    """Return the header's text, and the whole message."""
    view = memoryview(data)
    if len(view) < _HEAD.size:
        raise MessageMalformed(f"{len(view)} bytes are no message")
    version, length = _HEAD.unpack_from(view)
    if version != VERSION:
        raise MessageMalformed(f"a message of version {version}; this process reads version {VERSION}")
    end = _HEAD.size + length
    if end > len(view):
        raise MessageMalformed(f"a header of {length} bytes in a message of {len(view)}")
    return bytes(view[_HEAD.size : end]), view


def read_header(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise MessageMalformed(f"a header that is not JSON: {error}") from error
    if not isinstance(header, dict):
        raise MessageMalformed(f"a header that is a {type(header).__name__}, not an object")
    return header


def places_of(header: Mapping[str, Json], text: bytes, length: int) -> list[slice]:
    """Return where the buffers are in a message of this length with this header, given also as its text."""
    sizes = header.get(SIZES)
    if not isinstance(sizes, list):
        raise MessageMalformed("a header that does not count its buffers")
    start, places = _HEAD.size + len(text), []
    for size in sizes:
        start += -start % ALIGNMENT
        if type(size) is not int or not 0 <= size <= length - start:
            raise MessageMalformed(f"a buffer of {str(size)[:20]} bytes, which the message does not hold")
        places.append(slice(start, start + size))
        start += size
    return places
