"""Split a call into the parts that are cached separately: each text for an embedding model, and the whole for all other
calls.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from inference.cache.embedded_texts import output_of, read_text, texts_of, write_text
from inference.cache.inputs import row_digests, work_digest
from inference.core.contracts import TensorInput, TextInput, TokenInput, WorkOutput
from inference.rpc.answers import LaneAnswer, read_answer
from inference.rpc.works import LaneWork


class Parts(Protocol):
    kind: str
    """The kind of result. Results of different kinds never replace each other. Its number changes if they are written
    in another form.
    """
    dense: bool
    """True if the payloads are known not to compress."""

    def digests(self) -> list[bytes]:
        """Return a digest for each part."""

    def only(self, positions: Sequence[int]) -> LaneWork:
        """Return the work that runs only these parts."""

    def payloads(self, answer: LaneAnswer, count: int) -> list[bytes] | None:
        """Return the payloads of a run for this number of parts, or None if the answer does not separate them."""

    def output(self, payloads: Sequence[bytes]) -> WorkOutput:
        """Return the output as if all parts had been run together."""

    def tokens(self, payload: bytes) -> int: ...


@dataclass(frozen=True, slots=True)
class Texts:
    work: TextInput | TokenInput
    dense: bool = True

    @property
    def kind(self) -> str:
        return "text:2" if isinstance(self.work, TextInput) else "tokens:2"

    def digests(self) -> list[bytes]:
        return row_digests(self.work)

    def only(self, positions: Sequence[int]) -> LaneWork:
        work = self.work
        if isinstance(work, TextInput):
            return TextInput(tuple(work.texts[position] for position in positions), work.single)
        return TokenInput(tuple(work.rows[position] for position in positions), work.single)

    def payloads(self, answer: LaneAnswer, count: int) -> list[bytes] | None:
        texts = texts_of(answer.output, count)
        return None if texts is None else [write_text(text) for text in texts]

    def output(self, payloads: Sequence[bytes]) -> WorkOutput:
        return output_of([read_text(payload) for payload in payloads], single=self.work.single)

    def tokens(self, payload: bytes) -> int:
        return read_text(payload).tokens


@dataclass(frozen=True, slots=True)
class Whole:
    work: LaneWork
    kind: str
    dense: bool = False

    def digests(self) -> list[bytes]:
        return [work_digest(self.work)]

    def only(self, positions: Sequence[int]) -> LaneWork:
        return self.work

    def payloads(self, answer: LaneAnswer, count: int) -> list[bytes] | None:
        """Return the answer's bytes as they arrived. Serializing the answer again would take longer the larger
        it is.
        """
        return [bytes(answer.written)]

    def output(self, payloads: Sequence[bytes]) -> WorkOutput:
        return read_answer(payloads[0]).output

    def tokens(self, payload: bytes) -> int:
        return self.output([payload]).units.tokens


def parts_of(runtime: str, work: LaneWork, kind: str) -> Texts | Whole:
    """Return the parts of a call. `kind` is one of the kinds in a model's `accepts`."""
    if runtime == "embed" and isinstance(work, TextInput | TokenInput):
        return Texts(work)
    return Whole(work, whole(kind))


def whole(kind: str) -> str:
    """Return the kind of results that are not separated."""
    return f"whole {kind}"


def size_bytes(work: LaneWork) -> int:
    """Return the approximate size of the input, by which the time to walk it can be judged."""
    match work:
        case TextInput():
            return sum(map(len, work.texts))
        case TokenInput():
            return 8 * sum(map(len, work.rows))
        case TensorInput():
            return sum(
                tensor.nbytes if tensor.dtype.kind != "O" else 64 * tensor.size for tensor in work.tensors.values()
            )
