"""Compute digests of inputs. Two inputs have the same digest only if they mean the same to a model."""

from array import array
from collections.abc import Sequence
from hashlib import sha256

from inference.core.contracts import TensorInput, TextInput, TokenInput
from inference.rpc.works import write_work


def text_digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def tokens_digest(row: Sequence[int]) -> bytes:
    return sha256(array("q", row)).digest()


def row_digests(work: TextInput | TokenInput) -> list[bytes]:
    """Return a digest for each text. It is the same for a text alone and in a list."""
    if isinstance(work, TextInput):
        return [text_digest(text) for text in work.texts]
    return [tokens_digest(row) for row in work.rows]


def work_digest(work: TextInput | TokenInput | TensorInput) -> bytes:
    """Return one digest of the whole input. That of tensors is the digest of the message that brings them to a worker
    without parameters.
    """
    if isinstance(work, TensorInput):
        return sha256(write_work(work, {})).digest()
    return sha256(bytes([work.single]) + b"".join(row_digests(work))).digest()
