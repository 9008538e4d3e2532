"""Estimate how large an answer will be before it is written, so that memory is reserved for it and large answers are
written in a thread.
"""

from collections.abc import Sequence

from inference.core.contracts import Json, WorkOutput
from inference.gateway.open_inference.answers import GivenOutput

CHARACTERS_PER_NUMBER = 24
"""The most characters of a number in JSON, with its comma."""
LENGTH_BYTES = 4
"""The bytes of the length before each text. The quotes and comma of a text in JSON take fewer."""


def said_bytes(output: WorkOutput, most: int) -> int:
    """Return the approximate size of a result that has yet to be written as JSON. The count stops at `most`."""
    if output.tensors is not None:
        return 0
    count = 0
    waiting: list[Json] = [output.result]
    while waiting and count < most:
        value = waiting.pop()
        match value:
            case str():
                count += len(value)
            case dict():
                count += sum(map(len, value))
                waiting.extend(value.values())
            case list() | tuple():
                # A list that has more values than may be counted is not walked to its end.
                count += len(value)
                waiting.extend(value[:most])
        count += LENGTH_BYTES
    return min(count, most)


def listed_bytes(outputs: Sequence[GivenOutput]) -> int:
    """Return the size of the text tensors, which must be walked to tell how large they will be."""
    return sum(one.tensor.nbytes for one in outputs if one.tensor.dtype.kind == "O")


def written_bytes(outputs: Sequence[GivenOutput]) -> int:
    return sum(map(_written_bytes, outputs))


def _written_bytes(output: GivenOutput) -> int:
    tensor = output.tensor
    if tensor.dtype.kind == "O":
        return sum(len(value) + LENGTH_BYTES for value in tensor.ravel().tolist())
    return tensor.nbytes if output.binary else tensor.size * CHARACTERS_PER_NUMBER
