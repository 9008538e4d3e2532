"""Write vectors in the form that OpenAI's client reads. They are written row by row, so that a long list blocks no
other thread.
"""

import json
from base64 import b64encode
from dataclasses import dataclass

import numpy as np

from inference.runtime.tensors import VECTOR_DECIMALS, Array, rounded

BYTES_PER_NUMBER = 4 + VECTOR_DECIMALS
_ONE = 10**VECTOR_DECIMALS
_ZERO, _POINT, _MINUS, _SPACE, _COMMA = b"0.- ,"
_FOUR = 10_000
_DIGITS = _ZERO + (np.arange(_FOUR)[:, None] // (1000, 100, 10, 1) % 10).astype(np.uint8)
"""The four digits of every number below 10,000, which are half of a number's decimals at once."""


@dataclass(frozen=True, slots=True)
class EmbeddingAnswer:
    model: str
    """The version that answered. Vectors of different versions cannot be compared."""
    vectors: Array
    """The vectors, with a row for each text."""
    tokens: int
    in_base64: bool
    dimensions: int | None

    @property
    def size_bytes(self) -> int:
        """Return the approximate size of the vectors in JSON."""
        return self.vectors.size * BYTES_PER_NUMBER

    def written(self) -> bytes:
        vectors = self.vectors if self.dimensions is None else _cut(self.vectors, self.dimensions)
        write = _in_base64 if self.in_base64 else _in_json
        data = b",".join(
            b'{"object":"embedding","index":%d,"embedding":%b}' % (index, write(vector))
            for index, vector in enumerate(vectors)
        )
        usage = {"prompt_tokens": self.tokens, "total_tokens": self.tokens}
        rest = json.dumps({"model": self.model, "usage": usage}, separators=(",", ":")).encode()
        return b'{"object":"list","data":[%b],%b' % (data, rest[1:])


def _cut(vectors: Array, dimensions: int) -> Array:
    """Return the first numbers of each vector, scaled so that the vector has length 1 again."""
    if dimensions >= vectors.shape[1]:
        return vectors
    kept = vectors[:, :dimensions].astype(np.float64)
    lengths = np.linalg.norm(kept, axis=1, keepdims=True)
    # A vector whose first numbers are all zero has no direction and cannot be scaled.
    return kept / np.where(lengths == 0, 1, lengths)


def _in_base64(vector: Array) -> bytes:
    return b'"%b"' % b64encode(vector.astype("<f4").tobytes())


def _in_json(vector: Array) -> bytes:
    """Return the vector as JSON. All numbers have the same width, so their digits are computed together, several times
    as fast as one by one.
    """
    sizes = np.abs(vector)
    if not (sizes < 9).all():
        return json.dumps(rounded(vector).tolist(), allow_nan=False, separators=(",", ":")).encode()
    scaled = np.rint(sizes.astype(np.float64) * _ONE).astype(np.int32)
    whole = scaled // _ONE
    decimals = scaled - whole * _ONE
    first = decimals // _FOUR
    text = np.empty((len(vector), BYTES_PER_NUMBER), np.uint8)
    text[:, 0] = np.where(vector < 0, _MINUS, _SPACE)
    text[:, 1] = _ZERO + whole
    text[:, 2] = _POINT
    text[:, 3:7] = _DIGITS[first]
    text[:, 7:-1] = _DIGITS[decimals - first * _FOUR]
    text[:, -1] = _COMMA
    return b"[%b]" % text.tobytes()[:-1]
