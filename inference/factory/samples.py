"""Inputs of a model by name, cut into rows and put together again."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inference.runtime.tensors import Array, NodeArg
from tenants.core.messages import names_in_words, sizes_in_words

Feeds = Mapping[str, Array]
ONE_UNIT = 0
"""The number of rows of a sample whose inputs do not all begin with a free dimension. It is not cut."""


class SampleInvalid(Exception):
    """The error for a sample that does not have the inputs of its model. The message says which one is wrong."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The inputs of a single run."""

    name: str
    """The name in reports, such as `normal, 8 rows, number 3`."""
    group: str
    """The kind of values. Errors are compared with the spread of the outputs within a group."""
    feeds: Feeds
    rows: int
    """The number of rows, or 1 if the model has no dimension for rows."""


def rows_are_free(inputs: Sequence[NodeArg]) -> bool:
    """Return whether every input begins with a dimension of any size, so that rows can be cut apart."""
    return bool(inputs) and all(node.shape and not isinstance(node.shape[0], int) for node in inputs)


def check_feeds(feeds: Feeds, inputs: Sequence[NodeArg], name: str) -> None:
    """Raise SampleInvalid if inputs are missing, unknown, or have another number of dimensions."""
    wanted = {node.name: node for node in inputs}
    if set(feeds) != set(wanted):
        raise SampleInvalid(f"{name} has the inputs {names_in_words(feeds)}; the model takes {names_in_words(wanted)}")
    for key, value in feeds.items():
        shape = wanted[key].shape
        fits = value.ndim == len(shape) and all(
            not isinstance(size, int) or size < 0 or size == given
            for size, given in zip(shape, value.shape, strict=True)
        )
        if not fits:
            given, taken = sizes_in_words(value.shape), sizes_in_words(shape)
            raise SampleInvalid(f"{name}: input {key!r} has the shape {given}; the model takes {taken}")
    if rows_are_free(inputs) and len({len(value) for value in feeds.values()}) > 1:
        counts = ", ".join(f"{key} {len(value)}" for key, value in feeds.items())
        raise SampleInvalid(f"{name}: its inputs differ in their number of rows: {counts}")


def rows_of(feeds: Feeds) -> int:
    return len(next(iter(feeds.values())))


def cut(feeds: Feeds) -> Iterator[Feeds]:
    """Yield the rows, each as inputs with one row."""
    for row in range(rows_of(feeds)):
        yield {name: value[row : row + 1] for name, value in feeds.items()}


def layout(feeds: Feeds) -> tuple[tuple[str, str, tuple[int, ...]], ...]:
    """Return the names, types and sizes. Only rows of the same layout fit into one run."""
    return tuple((name, value.dtype.str, value.shape[1:]) for name, value in sorted(feeds.items()))


def digest(feeds: Feeds) -> bytes:
    """Return the SHA-256 of the names, types, shapes and values."""
    hashed = hashlib.sha256(repr([(name, value.shape) for name, value in sorted(feeds.items())]).encode())
    for _, value in sorted(feeds.items()):
        hashed.update(_content(value))
    return hashed.digest()


def row_digests(feeds: Feeds) -> Iterator[bytes]:
    """Yield the SHA-256 of each row, whatever the rows beside it are."""
    begun, values = hashlib.sha256(repr(layout(feeds)).encode()), [value for _, value in sorted(feeds.items())]
    for row in range(rows_of(feeds)):
        hashed = begun.copy()
        for value in values:
            hashed.update(_content(value[row]))
        yield hashed.digest()


def _content(value: Array | Any) -> bytes:
    if not isinstance(value, np.ndarray):
        value = np.asarray(value)
    if value.dtype.kind not in "OUS":
        return value.tobytes()
    texts = [text if isinstance(text, bytes) else str(text).encode() for text in value.ravel().tolist()]
    return b"".join(len(text).to_bytes(8, "little") + text for text in texts)
