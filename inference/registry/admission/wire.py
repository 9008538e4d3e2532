"""Limits on the nesting and the number of parts of a serialized model, checked before a parser allocates memory for it.

Parsing first would be too late: 10 MB of empty nodes take 750 MB once parsed.
"""

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import NoReturn

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from onnx import ModelProto, NodeProto

from inference.registry.admission.errors import ModelRefused
from inference.registry.admission.limits import AdmissionLimits

_MAX_MESSAGE_DEPTH = 99
"""The deepest allowed nesting. Protobuf parsers, including ONNX Runtime's, fail at 100."""

_VARINT, _FIXED64, _LENGTH_DELIMITED, _FIXED32 = 0, 1, 2, 5
_WIRE_TYPES = {
    FieldDescriptor.TYPE_DOUBLE: _FIXED64,
    FieldDescriptor.TYPE_FLOAT: _FIXED32,
    FieldDescriptor.TYPE_STRING: _LENGTH_DELIMITED,
    FieldDescriptor.TYPE_BYTES: _LENGTH_DELIMITED,
    FieldDescriptor.TYPE_MESSAGE: _LENGTH_DELIMITED,
}
_UNPACKED_VARINT_BYTES = 8


_NUMBERS_AT_ONCE = 4096
"""The most numbers of a list that are passed in a single step, so that no step takes long."""
_HIGH_BYTES = bytes(range(0x80, 0x100))


class _Plain(Enum):
    SKIP = auto()
    TEXT = auto()
    NUMBERS = auto()
    """Numbers of a list, each of which is a field."""
    PACKED_VARINTS = auto()


@dataclass(frozen=True, slots=True)
class _Fields:
    """The fields a message may have, by their tag on the wire."""

    plain: dict[int, _Plain]
    nested: dict[int, Descriptor]


def check_wire(data: bytes, limits: AdmissionLimits) -> None:
    """Refuse data that is not a well-formed model, is nested too deeply or has too many parts."""
    _Scan(data, limits).run()


class _Scan:
    def __init__(self, data: bytes, limits: AdmissionLimits) -> None:
        self.data = data
        self.limits = limits
        self.position = 0
        self.nodes = 0
        self.numbers = 0
        self.unpacked_bytes = 0

    def run(self) -> None:
        ends = [len(self.data)]
        tables = [_fields_of(ModelProto.DESCRIPTOR)]
        for _ in range(self.limits.max_wire_fields):
            while ends and self.position == ends[-1]:
                ends.pop()
                tables.pop()
            if not ends:
                return
            nested = self._step(ends[-1], tables[-1])
            if nested is None:
                continue
            end, message = nested
            if len(ends) > _MAX_MESSAGE_DEPTH:
                raise ModelRefused("model_too_deep", f"Messages nest over {_MAX_MESSAGE_DEPTH} deep.")
            self._count(message)
            ends.append(end)
            tables.append(_fields_of(message))
        raise ModelRefused("model_too_large", f"The file has more than {self.limits.max_wire_fields} fields.")

    def _step(self, end: int, fields: _Fields) -> tuple[int, Descriptor] | None:
        """Pass a field. For a nested message, stop at its beginning and return its end."""
        tag = self._varint(end)
        message = fields.nested.get(tag)
        if message is not None:
            return self._end_of_field(_LENGTH_DELIMITED, end), message
        kind = fields.plain.get(tag)
        if kind is None:
            self._corrupt(f"field {tag >> 3} with wire type {tag & 7} is not known here")
        field_end = self._end_of_field(tag & 7, end)
        if kind is _Plain.TEXT:
            self._check_text(field_end)
        elif kind is _Plain.PACKED_VARINTS:
            self._charge_varints(field_end)
        self.position = field_end
        if kind is _Plain.NUMBERS:
            self._pass_numbers(tag, end)
        return None

    def _count(self, message: Descriptor) -> None:
        self.nodes += message is NodeProto.DESCRIPTOR
        if self.nodes > self.limits.max_nodes:
            raise ModelRefused("model_too_large", f"The model has more than {self.limits.max_nodes} nodes.")

    def _pass_numbers(self, tag: int, end: int) -> None:
        """Pass the other numbers of the list at once. A forest has millions of them."""
        run = _numbers_with(tag).match(self.data, self.position, end)
        # Each tag and each number has one byte below 0x80, its last. Numbers of a fixed size have any bytes.
        size = {_FIXED32: 4, _FIXED64: 8}.get(tag & 7)
        if run is None:
            count = 1
        elif size is None:
            count = 1 + len(run.group().translate(None, _HIGH_BYTES)) // 2
        else:
            count = 1 + len(run.group()) // (size + len(_varint_bytes(tag)))
        if run is not None:
            self.position = run.end()
        self.numbers += count
        if self.numbers > self.limits.max_wire_numbers:
            raise ModelRefused(
                "model_too_large", f"The lists of the model have more than {self.limits.max_wire_numbers} numbers."
            )

    def _end_of_field(self, wire_type: int, end: int) -> int:
        if wire_type == _VARINT:
            self._varint(end)
            length = 0
        elif wire_type == _LENGTH_DELIMITED:
            length = self._varint(end)
        else:
            length = 8 if wire_type == _FIXED64 else 4
        if length > end - self.position:
            self._corrupt("a field is longer than what holds it")
        return self.position + length

    def _varint(self, end: int) -> int:
        value = 0
        for shift in range(0, 70, 7):
            if self.position >= end:
                self._corrupt("the file ends within a number")
            byte = self.data[self.position]
            self.position += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        self._corrupt("a number has more than ten bytes")

    def _check_text(self, end: int) -> None:
        try:
            self.data[self.position : end].decode()
        except UnicodeDecodeError:
            self._corrupt("a name is not valid UTF-8")

    def _charge_varints(self, end: int) -> None:
        self.unpacked_bytes += (end - self.position) * _UNPACKED_VARINT_BYTES
        if self.unpacked_bytes > self.limits.max_initializer_bytes:
            raise ModelRefused(
                "model_too_large",
                f"Packed numbers may unpack to over {self.limits.max_initializer_bytes} bytes.",
            )

    def _corrupt(self, what: str) -> NoReturn:
        raise ModelRefused("model_corrupt", f"Not a valid ONNX file: {what} (byte {self.position}).")


@cache
def _fields_of(message: Descriptor) -> _Fields:
    """Return the fields that this library knows. Other fields may mean something to ONNX Runtime's parser."""
    fields = _Fields({}, {})
    for field in message.fields:
        wire_type = _WIRE_TYPES.get(field.type, _VARINT)
        tag = field.number << 3 | wire_type
        if field.message_type is not None:
            fields.nested[tag] = field.message_type
            continue
        fields.plain[tag] = _Plain.TEXT if field.type == FieldDescriptor.TYPE_STRING else _Plain.SKIP
        if field.is_repeated and wire_type != _LENGTH_DELIMITED:
            fields.plain[tag] = _Plain.NUMBERS
            packed = _Plain.PACKED_VARINTS if wire_type == _VARINT else _Plain.SKIP
            fields.plain[field.number << 3 | _LENGTH_DELIMITED] = packed
    return fields


@cache
def _numbers_with(tag: int) -> re.Pattern[bytes]:
    """Return the pattern of several fields with this tag, each of which is a number."""
    number = {_FIXED32: rb".{4}", _FIXED64: rb".{8}"}.get(tag & 7, rb"[\x80-\xff]{0,9}[\x00-\x7f]")
    field = re.escape(_varint_bytes(tag)) + number
    return re.compile(rb"(?:%b){1,%d}+" % (field, _NUMBERS_AT_ONCE), re.DOTALL)


def _varint_bytes(value: int) -> bytes:
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])
