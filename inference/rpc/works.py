"""Serialize the input of a model: a work and its parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from types import MappingProxyType
from typing import assert_never

import numpy as np

from inference.core.contracts import Json, TensorInput, TextInput, TokenInput
from inference.rpc.arrays import read_description, read_values, write_array
from inference.rpc.errors import MessageMalformed
from inference.rpc.frames import Buffer, pack, places_of, read_header, split
from tenants.core.messages import names_in_words

LaneWork = TextInput | TokenInput | TensorInput
"""The kinds of work that can be sent. Pages are not among them: they belong to jobs, and their images are decoded where
the model runs.
"""

CHARACTERS_PER_COST = 256
TOKENS_PER_COST = 64
BYTES_PER_COST = 1024

LONGEST_KEPT = 1024
MAX_KEPT = 256
"""The headers whose meaning is kept, which then take at most a megabyte."""
_TENSORS_FIRST = b'{"tensors":'
_TOKEN_IDS = np.dtype("<i4")


def write_work(work: LaneWork, parameters: Mapping[str, Json]) -> bytes:
    match work:
        case TextInput():
            header = {"texts": work.texts, "single": work.single, "parameters": parameters}
            return pack(header)
        case TokenInput():
            counts = [len(row) for row in work.rows]
            header = {"token_counts": counts, "single": work.single, "parameters": parameters}
            return pack(header, [np.fromiter(chain.from_iterable(work.rows), _TOKEN_IDS).tobytes()])
        case TensorInput():
            return pack(*parts_of(work, parameters))
    assert_never(work)


def parts_of(work: TensorInput, parameters: Mapping[str, Json]) -> tuple[dict[str, Json], list[Buffer]]:
    """Return the header and the buffers of the message for tensors, which are sorted by their names."""
    written = [write_array(name, work.tensors[name]) for name in sorted(work.tensors)]
    return (
        {"tensors": [said for said, _buffer in written], "parameters": parameters},
        [buffer for _said, buffer in written],
    )


@dataclass(frozen=True, slots=True)
class _Described:
    """A tensor as the header describes it, and where its values are in the message."""

    name: str
    datatype: str
    shape: tuple[int, ...]
    place: slice


@dataclass(frozen=True, slots=True)
class _Layout:
    """The meaning of a header of tensors. Calls of the same shape have the same header."""

    tensors: tuple[_Described, ...]
    parameters: Mapping[str, Json]


def read_work(payload: Buffer) -> tuple[LaneWork, Mapping[str, Json]]:
    text, view = split(payload)
    if len(text) <= LONGEST_KEPT and text.startswith(_TENSORS_FIRST):
        layout = _kept_layout(text, len(view))
    else:
        header = read_header(text)
        match header:
            case {"parameters": dict(parameters), "texts": list(texts), "single": bool(single)}:
                if not all(type(text) is str for text in texts):
                    raise MessageMalformed("texts that are not all text")
                return TextInput(tuple(texts), single), parameters
            case {"parameters": dict(parameters), "token_counts": list(counts), "single": bool(single)}:
                buffers = [view[place] for place in places_of(header, text, len(view))]
                return TokenInput(_read_tokens(counts, buffers), single), parameters
        layout = _layout(header, places_of(header, text, len(view)))
    tensors = {one.name: read_values(one.name, one.datatype, one.shape, view[one.place]) for one in layout.tensors}
    return TensorInput(tensors), layout.parameters


@lru_cache(maxsize=MAX_KEPT)
def _kept_layout(text: bytes, length: int) -> _Layout:
    header = read_header(text)
    return _layout(header, places_of(header, text, length))


def _layout(header: Mapping[str, Json], places: Sequence[slice]) -> _Layout:
    match header:
        case {"parameters": dict(parameters), "tensors": list(tensors)}:
            if len(tensors) != len(places):
                raise MessageMalformed(f"{len(tensors)} tensors with {len(places)} buffers")
            described = [
                _Described(*read_description(said), place) for said, place in zip(tensors, places, strict=True)
            ]
            return _Layout(tuple(described), MappingProxyType(parameters))
    raise MessageMalformed(f"a payload with {names_in_words(sorted(header))}, which is no work")


def _read_tokens(counts: list[Json], buffers: list[memoryview]) -> tuple[tuple[int, ...], ...]:
    if not all(type(count) is int and count >= 0 for count in counts):
        raise MessageMalformed("token counts that are not all counts")
    if len(buffers) != 1 or len(buffers[0]) != sum(counts) * _TOKEN_IDS.itemsize:
        raise MessageMalformed(f"{sum(counts)} tokens that are not those of the message")
    ids = np.frombuffer(buffers[0], _TOKEN_IDS).tolist() if buffers[0] else []
    return tuple(tuple(ids[start:end]) for start, end in pairwise(accumulate(counts, initial=0)))


def cost_of(work: LaneWork) -> int:
    """Return the relative cost of a request, which counts in the fair sharing of a queue between tenants. It is at
    least 1.
    """
    match work:
        case TextInput():
            return len(work.texts) + sum(map(len, work.texts)) // CHARACTERS_PER_COST
        case TokenInput():
            return len(work.rows) + sum(map(len, work.rows)) // TOKENS_PER_COST
        case TensorInput():
            return 1 + sum(array.nbytes for array in work.tensors.values()) // BYTES_PER_COST
    assert_never(work)
