"""What of a call is kept by itself: each text of an embedding model, and the whole of everything else."""

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
    """Results of different kinds never answer for one another. Another number where they are written otherwise."""
    dense: bool
    """Whether its payloads are known not to shrink."""

    def digests(self) -> list[bytes]:
        """One for each part."""

    def only(self, positions: Sequence[int]) -> LaneWork:
        """What is to be run for these."""

    def payloads(self, answer: LaneAnswer, count: int) -> list[bytes] | None:
        """Of a run for so many parts; None where they cannot be told apart."""

    def output(self, payloads: Sequence[bytes]) -> WorkOutput:
        """As if all had been run together."""

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
        """As it came: to write it again would take longer the larger it is."""
        return [bytes(answer.written)]

    def output(self, payloads: Sequence[bytes]) -> WorkOutput:
        return read_answer(payloads[0]).output

    def tokens(self, payload: bytes) -> int:
        return self.output([payload]).units.tokens


def parts_of(runtime: str, work: LaneWork, kind: str) -> Texts | Whole:
    """`kind` as in a model's `accepts`."""
    if runtime == "embed" and isinstance(work, TextInput | TokenInput):
        return Texts(work)
    return Whole(work, f"whole {kind}")


def size_bytes(work: LaneWork) -> int:
    """About: how long it takes to go through."""
    match work:
        case TextInput():
            return sum(map(len, work.texts))
        case TokenInput():
            return 8 * sum(map(len, work.rows))
        case TensorInput():
            return sum(
                tensor.nbytes if tensor.dtype.kind != "O" else 64 * tensor.size
                for tensor in work.tensors.values()
            )
