"""Frozen dataclasses as JSON and back, by their annotations."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

Record = TypeVar("Record")


def to_json(value: Any) -> Any:
    """Return lists, dictionaries, texts and numbers."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: to_json(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): to_json(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(each) for each in value]
    return value


def from_json(kind: type[Record], content: Mapping[str, Any]) -> Record:
    """Read a record that another release may have written. Values that this release does not know are left out.

    Raise ValueError if a value is missing or has another type.
    """
    result: Record = _read(kind, content)
    return result


def _read(kind: Any, content: Any) -> Any:
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return None if content is None else _read(next(part for part in parts if part is not NoneType), content)
    if origin is tuple:
        return tuple(_read(parts[0], each) for each in _checked(content, list))
    if origin is not None:
        return {key: _read(parts[1], each) for key, each in _checked(content, dict).items()}
    return content if kind is Any else _read_plain(kind, content)


def _read_plain(kind: type, content: Any) -> Any:
    if is_dataclass(kind):
        return _record(kind, _checked(content, dict))
    if issubclass(kind, Enum):
        return kind(content)
    return float(content) if kind is float and type(content) is int else _checked(content, kind)


def _record(kind: Any, content: Mapping[str, Any]) -> Any:
    hints = _hints(kind)
    try:
        return kind(**{name: _read(hint, content[name]) for name, hint in hints.items() if name in content})
    except TypeError as error:
        raise ValueError(f"{kind.__name__} cannot be read: {error}") from error


def _checked(content: Any, kind: type) -> Any:
    if not isinstance(content, kind):
        raise ValueError(f"{str(content)[:60]!r} is not a {kind.__name__}")
    return content


@lru_cache(maxsize=64)
def _hints(kind: Any) -> Mapping[str, Any]:
    return get_type_hints(kind)
