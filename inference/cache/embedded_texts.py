"""Serialize the vector of a text with its other results. Each text is cached separately, whatever list it came in."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inference.core.contracts import Units, WorkOutput
from inference.core.device_time import shared_out
from inference.runtime.tensors import VECTORS, Array

_HEAD = struct.Struct("<IQ?2s")
"""The number of tokens, the time of the run, whether the text was truncated, and the type of the vector's numbers."""


@dataclass(frozen=True, slots=True)
class EmbeddedText:
    vector: Array
    tokens: int
    truncated: bool
    device_us: int = 0
    """The text's share of the run's device time."""


def write_text(text: EmbeddedText) -> bytes:
    dtype = text.vector.dtype.newbyteorder("<")
    head = _HEAD.pack(text.tokens, text.device_us, text.truncated, dtype.str[1:].encode())
    return head + np.ascontiguousarray(text.vector, dtype).tobytes()


def read_text(payload: bytes) -> EmbeddedText:
    tokens, device_us, truncated, kind = _HEAD.unpack_from(payload)
    vector = np.frombuffer(payload, f"<{kind.decode()}", offset=_HEAD.size)
    return EmbeddedText(vector, tokens, truncated, device_us)


def texts_of(output: WorkOutput, count: int) -> list[EmbeddedText] | None:
    """Return the texts of an output, or None if the output does not say how many tokens each text had."""
    if output.tensors is None or len(output.row_tokens) != count:
        return None
    vectors = np.atleast_2d(output.tensors[VECTORS])
    said = output.result.get("truncated", [])
    cut = {0} if said is True else set(said or [])
    shares = shared_out(output.units.device_us, [max(1, tokens) for tokens in output.row_tokens])
    return [
        EmbeddedText(vector, tokens, position in cut, device_us)
        for position, (vector, tokens, device_us) in enumerate(zip(vectors, output.row_tokens, shares, strict=True))
    ]


def output_of(texts: Sequence[EmbeddedText], *, single: bool) -> WorkOutput:
    """Return the output in the form in which the model answers all texts at once."""
    tokens = [text.tokens for text in texts]
    cut = [position for position, text in enumerate(texts) if text.truncated]
    vectors = texts[0].vector if single else np.stack([text.vector for text in texts])
    said = {
        "truncated": bool(cut) if single else cut,
        "dimensions": vectors.shape[-1],
        "tokens": sum(tokens),
    }
    units = Units(tokens=sum(tokens), device_us=sum(text.device_us for text in texts))
    return WorkOutput(said, units, tensors={VECTORS: vectors}, row_tokens=tuple(tokens))
