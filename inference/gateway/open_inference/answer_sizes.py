"""How large an answer will be once it is written: told before it is, so that room is there and nobody is held up."""

from collections.abc import Sequence

from inference.core.contracts import Json, WorkOutput
from inference.gateway.open_inference.answers import GivenOutput

CHARACTERS_PER_NUMBER = 24
"""At most, in JSON, with a comma."""
LENGTH_BYTES = 4
"""Before each text, in bytes; quotes and a comma in JSON are less."""


def said_bytes(output: WorkOutput, most: int) -> int:
    """About, of what is yet to be made JSON; counted no further than `most`."""
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
                # A list of more values than may be counted need not be walked.
                count += len(value)
                waiting.extend(value[:most])
        count += LENGTH_BYTES
    return min(count, most)


def listed_bytes(outputs: Sequence[GivenOutput]) -> int:
    """Of what must be gone through to tell how large it is: texts."""
    return sum(one.tensor.nbytes for one in outputs if one.tensor.dtype.kind == "O")


def written_bytes(outputs: Sequence[GivenOutput]) -> int:
    return sum(map(_written_bytes, outputs))


def _written_bytes(output: GivenOutput) -> int:
    tensor = output.tensor
    if tensor.dtype.kind == "O":
        return sum(len(value) + LENGTH_BYTES for value in tensor.ravel().tolist())
    return tensor.nbytes if output.binary else tensor.size * CHARACTERS_PER_NUMBER
