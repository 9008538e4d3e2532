"""A text's vector, and what else is known of it, as bytes: kept for each text by itself, whatever list it came in."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inference.core.contracts import Units, WorkOutput
from inference.core.device_time import shared_out
from inference.runtime.tensors import VECTORS, Array

_HEAD = struct.Struct("<IQ?2s")
"""Its tokens, the time of its run, whether it was cut, and the type of its vector's numbers."""


@dataclass(frozen=True, slots=True)
class EmbeddedText:
    vector: Array
    tokens: int
    truncated: bool
    device_us: int = 0
    """Its share of its run."""


def write_text(text: EmbeddedText) -> bytes:
    dtype = text.vector.dtype.newbyteorder("<")
    head = _HEAD.pack(text.tokens, text.device_us, text.truncated, dtype.str[1:].encode())
    return head + np.ascontiguousarray(text.vector, dtype).tobytes()


def read_text(payload: bytes) -> EmbeddedText:
    tokens, device_us, truncated, kind = _HEAD.unpack_from(payload)
    vector = np.frombuffer(payload, f"<{kind.decode()}", offset=_HEAD.size)
    return EmbeddedText(vector, tokens, truncated, device_us)


def texts_of(output: WorkOutput, count: int) -> list[EmbeddedText] | None:
    """None where the answer does not say how many tokens each text had."""
    if output.tensors is None or len(output.row_tokens) != count:
        return None
    vectors = np.atleast_2d(output.tensors[VECTORS])
    said = output.result.get("truncated", [])
    cut = {0} if said is True else set(said or [])
    shares = shared_out(output.units.device_us, [max(1, tokens) for tokens in output.row_tokens])
    return [
        EmbeddedText(vector, tokens, position in cut, device_us)
        for position, (vector, tokens, device_us) in enumerate(
            zip(vectors, output.row_tokens, shares, strict=True)
        )
    ]


def output_of(texts: Sequence[EmbeddedText], *, single: bool) -> WorkOutput:
    """As the model answers all of them at once."""
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
