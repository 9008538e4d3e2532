"""Scan a serialized request before it is parsed, to bound the number of its parts and to find its tensors without a
copy.

A check after parsing would be too late: 8 MB of empty inputs take 350 MB once they are parsed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from inference.gateway.open_inference.errors import InvalidRequest

INPUTS, OUTPUTS, RAW = 5, 6, 7
"""The numbers of fields of ModelInferRequest."""
MAX_FIELDS = 300
"""The most fields of a request: its inputs, their bytes, its outputs and parameters, and the few others."""
MAX_FIELDS_WITHIN = 100
"""The most fields of an input or output: its parameters, and the few others."""
_VARINT, _FIXED64, _DELIMITED, _FIXED32 = 0, 1, 2, 5
_FIXED = {_FIXED64: 8, _FIXED32: 4}


@dataclass(frozen=True, slots=True)
class SplitRequest:
    head: bytes
    """The request without the bytes of its tensors. It is still a message of the same type."""
    raw: tuple[memoryview, ...]


@dataclass(frozen=True, slots=True)
class _Field:
    number: int
    start: int
    content: int
    end: int


def split_request(written: bytes) -> SplitRequest:
    """Split the request into its tensors' bytes and the rest. Raises InvalidRequest if it is not a message or has too
    many parts.
    """
    view = memoryview(written)
    head: list[memoryview] = []
    raw: list[memoryview] = []
    for field in _fields(view, MAX_FIELDS, "The request"):
        if field.number == RAW:
            raw.append(view[field.content : field.end])
            continue
        head.append(view[field.start : field.end])
        if field.number in (INPUTS, OUTPUTS):
            for _ in _fields(view[field.content : field.end], MAX_FIELDS_WITHIN, "One of its tensors"):
                pass
    return SplitRequest(b"".join(head), tuple(raw))


def written_field(number: int, content: bytes) -> tuple[bytes, bytes]:
    """Return a serialized field that holds bytes or a message. Fields that are written one after another make up one
    message.
    """
    return _written_varint(number << 3 | _DELIMITED) + _written_varint(len(content)), content


def _fields(view: memoryview, most: int, what: str) -> Iterator[_Field]:
    position = count = 0
    while position < len(view):
        count += 1
        if count > most:
            raise InvalidRequest(f"{what} has more than {most} fields; send fewer tensors or parameters.")
        start = position
        tag, position = _varint(view, position)
        kind = tag & 7
        if kind == _DELIMITED:
            length, content = _varint(view, position)
        elif kind == _VARINT:
            content = position
            length = _varint(view, position)[1] - position
        elif kind in _FIXED:
            content, length = position, _FIXED[kind]
        else:
            _unreadable(f"a field of the kind {kind}")
        if length > len(view) - content:
            _unreadable("a field that is longer than what holds it")
        position = content + length
        yield _Field(tag >> 3, start, content, position)


def _varint(view: memoryview, position: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if position >= len(view):
            _unreadable("an end within a number")
        byte = view[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    _unreadable("a number of more than ten bytes")


def _written_varint(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def _unreadable(found: str) -> NoReturn:
    raise InvalidRequest(f"The message cannot be read: it has {found}.")
