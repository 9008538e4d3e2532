"""The types of values that steps of a pipeline pass to each other, and the fields that can be read from each."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from inference.core.contracts import Embedding, Json, PageInput, Quad, TextLine, WorkRefused
from inference.runtime.tensors import write_tensor

Value = Any
"""A PageInput, str, tuple of str, tuple of TextLine, number, bool, array, Embedding, dict of values, JSON or None."""


@dataclass(frozen=True, slots=True)
class ValueType:
    kind: str
    fields: Mapping[str, "ValueType"] = field(default_factory=dict)
    """The fields that a reference may name after a dot."""
    datatypes: frozenset[str] = frozenset()
    """The element types of a tensor, in the terms of the Open Inference Protocol. An empty set allows any."""
    shape: tuple[int, ...] | None = None
    """The shape of a tensor: -1 for an unknown size, None for an unknown rank."""
    nullable: bool = False

    def __str__(self) -> str:
        text = self.kind
        if self.kind == "tensor":
            text = " ".join([*sorted(self.datatypes), "tensor"])
            text += "" if self.shape is None else f" of shape {list(self.shape)}"
        return f"{text} or null" if self.nullable else text

    def fits(self, wanted: "ValueType") -> bool:
        """Return whether every value of this type can be used as a value of the type `wanted`."""
        if self.nullable and not wanted.nullable:
            return False
        if self.kind != wanted.kind:
            return self.kind == "null" and wanted.nullable
        return self._datatype_fits(wanted) and _shapes_agree(self.shape, wanted.shape)

    @property
    def is_json(self) -> bool:
        """Return whether an answer can contain a value of this type."""
        if self.kind == "object":
            return all(field_type.is_json for field_type in self.fields.values())
        return self.kind != "page"

    def _datatype_fits(self, wanted: "ValueType") -> bool:
        return not wanted.datatypes or (bool(self.datatypes) and self.datatypes <= wanted.datatypes)


def _shapes_agree(one: tuple[int, ...] | None, other: tuple[int, ...] | None) -> bool:
    """Return whether the known sizes agree. The run checks sizes that are not known before it."""
    if one is None or other is None:
        return True
    return len(one) == len(other) and all(a == b or -1 in (a, b) for a, b in zip(one, other, strict=True))


NUMBER, BOOLEAN, JSON, NULL = ValueType("number"), ValueType("boolean"), ValueType("json"), ValueType("null")
TEXT = ValueType("text", {"is_blank": BOOLEAN})
TEXTS = ValueType("texts")
LINES = ValueType("lines", {"count": NUMBER})
VECTOR = ValueType("vector")
"""The type of an embedding of a text, which is compared only with vectors of the same model version."""
VECTORS = ValueType("vectors")
PAGE = ValueType(
    "page",
    {
        "has_text": BOOLEAN,
        "has_scans": BOOLEAN,
        "has_items": BOOLEAN,
        "is_blank": BOOLEAN,
        "text": TEXT,
        "lines": LINES,
        "width": NUMBER,
        "height": NUMBER,
    },
)


def object_of(fields: Mapping[str, ValueType]) -> ValueType:
    return ValueType("object", dict(fields))


def tensor_of(*datatypes: str, shape: Iterable[int] | None = None) -> ValueType:
    return ValueType("tensor", datatypes=frozenset(datatypes), shape=None if shape is None else tuple(shape))


def constant_type(value: Json, *, depth: int = 2) -> ValueType:
    """Return the type of a constant. Values below `depth` levels are only known to be JSON."""
    if isinstance(value, dict) and depth:
        return object_of({name: constant_type(item, depth=depth - 1) for name, item in value.items()})
    if isinstance(value, list):
        return TEXTS if value and all(isinstance(item, str) for item in value) else JSON
    return _PLAIN.get(type(value), JSON)


_PLAIN: Mapping[type, ValueType] = {
    type(None): NULL,
    bool: BOOLEAN,
    int: NUMBER,
    float: NUMBER,
    str: TEXT,
}


def joined(one: ValueType, other: ValueType) -> ValueType | None:
    """Return the type of a value that has one of these two types, or None if no use of such a value is possible."""
    if one == other:
        return one
    if "null" in (one.kind, other.kind):
        return replace(other if one.kind == "null" else one, nullable=True)
    if one.kind == other.kind == "object":
        shared = {name: joined(one.fields[name], other.fields[name]) for name in one.fields if name in other.fields}
        return object_of({name: found for name, found in shared.items() if found is not None})
    if one.kind == other.kind:
        return ValueType(one.kind, one.fields, nullable=one.nullable or other.nullable)
    return JSON if one.is_json and other.is_json else None


def type_at(start: ValueType, path: str) -> ValueType | None:
    """Return the type at `path`. Names in the path may contain dots themselves, as names of tensors do."""
    if not path:
        return start
    for name, rest in _splits(path):
        if name in start.fields and (found := type_at(start.fields[name], rest)) is not None:
            return found
    return None


def value_at(start: Value, path: str) -> Value:
    """Return the value at a path that was checked against its type."""
    if not path:
        return start
    if not isinstance(start, dict):
        name, _, rest = path.partition(".")
        return value_at(_READ[_kind_of(start)][name](start), rest)
    name, rest = next((name, rest) for name, rest in _splits(path) if name in start)
    return value_at(start[name], rest)


def _splits(path: str) -> Iterable[tuple[str, str]]:
    yield path, ""
    for position in range(len(path) - 1, 0, -1):
        if path[position] == ".":
            yield path[:position], path[position + 1 :]


def _kind_of(value: Value) -> str:
    if isinstance(value, PageInput):
        return PAGE.kind
    return TEXT.kind if isinstance(value, str) else LINES.kind


_DESCRIBED: Mapping[str, tuple[str, list[int]]] = {
    NUMBER.kind: ("FP64", [1]),
    BOOLEAN.kind: ("BOOL", [1]),
    TEXTS.kind: ("BYTES", [-1]),
    VECTOR.kind: ("FP32", [-1]),
    VECTORS.kind: ("FP32", [-1, -1]),
}


def described(answer: ValueType) -> list[dict[str, Json]]:
    """Return the fields of an answer in the terms of a signature."""
    found: list[dict[str, Json]] = []
    for name, field_type in answer.fields.items():
        if field_type.kind == "object":
            found += [{**inner, "name": f"{name}.{inner['name']}"} for inner in described(field_type)]
            continue
        datatype, shape = _DESCRIBED.get(field_type.kind, ("BYTES", [1]))
        if field_type.kind == "tensor":
            datatype = next(iter(field_type.datatypes), datatype)
            shape = [-1] if field_type.shape is None else list(field_type.shape)
        found.append({"name": name, "datatype": datatype, "shape": shape})
    return found


def quad_of(corners: Json) -> Quad:
    """Return the corners of a box in an answer."""
    return tuple((float(x), float(y)) for x, y in corners)  # type: ignore[return-value]


def lines_of(page: PageInput) -> tuple[TextLine, ...]:
    if page.text_lines is None:
        raise WorkRefused("input_not_accepted", "the page is an image without text")
    return page.text_lines


def text_of(lines: Iterable[TextLine]) -> str:
    return "\n".join(line.text for line in lines)


_READ: Mapping[str, Mapping[str, Callable[[Any], Value]]] = {
    PAGE.kind: {
        "has_text": lambda page: page.text_lines is not None,
        "has_scans": lambda page: bool(page.scans),
        "has_items": lambda page: page.items is not None,
        "is_blank": lambda page: not text_of(lines_of(page)).strip(),
        "text": lambda page: text_of(lines_of(page)),
        "lines": lines_of,
        "width": lambda page: page.width_px,
        "height": lambda page: page.height_px,
    },
    TEXT.kind: {"is_blank": lambda text: not text.strip()},
    LINES.kind: {"count": len},
}


def arrays_in(value: Value) -> Iterator["np.ndarray[Any, Any]"]:
    """Yield every array in a value. One that is there several times is yielded each time."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from arrays_in(item)


def as_json(value: Value, name: str = "") -> Json:
    """Return a value in the form in which an answer contains it."""
    match value:
        case Embedding():
            return list(value.vector)
        case np.ndarray():
            return write_tensor(name, value)
        case dict():
            return {name: as_json(item, name) for name, item in value.items()}
        case tuple() | list():
            return [as_json(item, name) for item in value]
        case TextLine():
            return {"text": value.text, "box": value.box, "confidence": value.confidence}
    return value
