"""The frames between a web process and a worker on the same machine: one for all calls of a turn of the event loop, and
one for all answers of a batch.

Times are on the clock of `time.monotonic`, which all processes of a machine share.
"""

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from inference.rpc.errors import MessageMalformed
from inference.rpc.frames import ALIGNMENT, Buffer

VERSION = 1
MAX_FRAME_BYTES = 256 * 2**20


class Kind(IntEnum):
    SERVES = 1
    """From the worker: the models that it serves now, with the most calls of each that it takes from one process."""
    CALLS = 2
    CANCELS = 3
    ANSWERS = 4
    RETURNED = 5
    """From the worker: calls that it has not run because it stops."""


HEAD = struct.Struct("<IBB2x")
"""The number of bytes that follow the head, the version and the kind."""
_CALL = struct.Struct("<QddHHHxxI4x")
"""Number, time of sending, deadline, the lengths of model key, tenant and coalesce key, and that of the payload."""
_ANSWER = struct.Struct("<QI4x")
_NUMBER = struct.Struct("<Q")


@dataclass(slots=True)
class SocketCall:
    number: int
    sent_s: float
    deadline_s: float
    model_key: str
    tenant: str
    coalesce: str
    payload: Buffer


def frame(kind: Kind, parts: Sequence[Buffer]) -> bytes:
    return b"".join((HEAD.pack(sum(map(len, parts)), VERSION, kind), *parts))


def read_head(head: Buffer | bytearray) -> tuple[int, Kind]:
    """Return the number of bytes that follow, and what they are."""
    length, version, kind = HEAD.unpack(head)
    if version != VERSION:
        raise MessageMalformed(f"a frame of version {version}; this process reads version {VERSION}")
    if length > MAX_FRAME_BYTES:
        raise MessageMalformed(f"a frame of {length} bytes")
    try:
        return length, Kind(kind)
    except ValueError as error:
        raise MessageMalformed(f"a frame of kind {kind}") from error


class FrameReader:
    """Collects the bytes of a connection until frames are whole."""

    def __init__(self) -> None:
        self._data = bytearray()

    def read(self, data: bytes) -> Iterator[tuple[Kind, memoryview]]:
        """Add the bytes and yield the whole frames. Raises MessageMalformed."""
        self._data += data
        while len(self._data) >= HEAD.size:
            length, kind = read_head(self._data[: HEAD.size])
            end = HEAD.size + length
            if len(self._data) < end:
                return
            # The bytes are copied once, so that the payloads stay valid and aligned while more is read.
            body = memoryview(bytes(self._data[HEAD.size : end]))
            del self._data[:end]
            yield kind, body


def call_parts(
    number: int, sent_s: float, deadline_s: float, names: tuple[str, str, str], payload: Buffer
) -> tuple[Buffer, ...]:
    """Return the parts of a call. The names are those of the model, of the tenant, and the coalesce key."""
    model_key, tenant, coalesce = names[0].encode(), names[1].encode(), names[2].encode()
    size = len(payload)
    head = _CALL.pack(number, sent_s, deadline_s, len(model_key), len(tenant), len(coalesce), size)
    text = model_key + tenant + coalesce
    return head, text, _GAPS[-len(text) % ALIGNMENT], payload, _GAPS[-size % ALIGNMENT]


def read_calls(body: memoryview) -> Iterator[SocketCall]:
    at = 0
    try:
        while at < len(body):
            number, sent_s, deadline_s, *lengths, size = _CALL.unpack_from(body, at)
            at += _CALL.size
            names = []
            for length in lengths:
                names.append(str(body[at : at + length], "utf-8"))
                at += length
            model_key, tenant, coalesce = names
            at = _aligned(at)
            payload = _part(body, at, size)
            at = _aligned(at + size)
            yield SocketCall(number, sent_s, deadline_s, model_key, tenant, coalesce, payload)
    except (struct.error, UnicodeDecodeError) as error:
        raise MessageMalformed(f"calls that cannot be read: {error}") from error


def answer_parts(number: int, payload: Buffer) -> list[Buffer]:
    return [_ANSWER.pack(number, len(payload)), payload, _GAPS[-len(payload) % ALIGNMENT]]


def read_answers(body: memoryview) -> Iterator[tuple[int, memoryview]]:
    at = 0
    try:
        while at < len(body):
            number, size = _ANSWER.unpack_from(body, at)
            payload = _part(body, at + _ANSWER.size, size)
            at = _aligned(at + _ANSWER.size + size)
            yield number, payload
    except struct.error as error:
        raise MessageMalformed(f"answers that cannot be read: {error}") from error


def number_parts(numbers: Sequence[int]) -> list[Buffer]:
    return [_NUMBER.pack(number) for number in numbers]


def read_numbers(body: memoryview) -> list[int]:
    if len(body) % _NUMBER.size:
        raise MessageMalformed(f"{len(body)} bytes, which are no list of numbers")
    return [number for (number,) in _NUMBER.iter_unpack(body)]


def serves_parts(models: Mapping[str, int]) -> list[Buffer]:
    return [json.dumps(models).encode()]


def read_serves(body: Buffer) -> dict[str, int]:
    try:
        said = json.loads(bytes(body))
        return {str(key): int(most) for key, most in said.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise MessageMalformed(f"a list of models that cannot be read: {error}") from error


def _part(body: memoryview, at: int, size: int) -> memoryview:
    if at + size > len(body):
        raise MessageMalformed(f"a payload of {size} bytes, which the frame does not hold")
    return body[at : at + size]


def _aligned(at: int) -> int:
    return at + -at % ALIGNMENT


_GAPS = tuple(bytes(length) for length in range(ALIGNMENT))
