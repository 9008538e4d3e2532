"""Serialize what a model answered, or how it failed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from inference.core.contracts import Embedding, Json, Units, WorkOutput, WorkRefused
from inference.core.errors import CallCanceled, DeadlinePassed, ModelFailed, ModelOverloaded, StepFailed
from inference.rpc.arrays import ITEMS, lift, lower, read_array, write_array
from inference.rpc.errors import LaneUnavailable, MessageMalformed
from inference.rpc.frames import SIZES, Buffer, json_text, pack, pack_text, places_of, split, unpack
from inference.runtime.tensors import Array
from tenants.core.messages import names_in_words

WorkError = WorkRefused | ModelFailed | CallCanceled


@dataclass(frozen=True, slots=True)
class SpentMs:
    """The times that make up a model's work."""

    load: float = 0.0
    """The time until the model was in memory, before a worker took the request or in the worker."""
    batch: float = 0.0
    """The time in the worker until a run began."""
    infer: float = 0.0
    """The time in which the model ran."""


NOTHING_SPENT = SpentMs()


@dataclass(frozen=True, slots=True)
class LaneAnswer:
    output: WorkOutput
    queue_ms: float
    """The time from the client to a worker, without the load of the model."""
    run_ms: float
    """The whole time in the worker."""
    spent: SpentMs = NOTHING_SPENT
    joined: bool = False
    """True if it ran for another caller of the same tenant, who had sent the same request before."""
    written: Buffer = field(default=b"", compare=False, repr=False)
    """The answer's bytes as they arrived."""


Described = tuple[str, str, tuple[int, ...]]
"""The name, datatype and shape of a tensor."""


class _Header(msgspec.Struct, omit_defaults=True):
    """The header of an answer. What models say of themselves is written as JSON before."""

    result: msgspec.Raw
    units: tuple[int, int, int]
    ms: tuple[float, float]
    steps: Mapping[str, float]
    sizes: list[int] = msgspec.field(name=SIZES)
    spent: tuple[float, float, float] = (0.0, 0.0, 0.0)
    embedding: msgspec.Raw | None = None
    lifted: Sequence[Any] = ()
    tensors: Sequence[Described] | None = None
    device_us: int = 0
    row_tokens: Sequence[int] = ()
    joined: bool = False


_NOTHING = msgspec.Raw(b"{}")
_read_header = msgspec.json.Decoder(_Header).decode


@dataclass(slots=True)
class PlainAnswer:
    """An answer that is tensors of numbers and nothing else. They are still the bytes of the message."""

    units: Units
    queue_ms: float
    run_ms: float
    spent: SpentMs
    joined: bool
    described: Sequence[Described]
    buffers: Sequence[memoryview]


def write_answer(answer: LaneAnswer) -> bytes:
    output, spent = answer.output, answer.spent
    result, embedding, lifted, buffers = _written(output)
    tensors = None
    if output.tensors is not None:
        written = [write_array(name, array) for name, array in output.tensors.items()]
        tensors = [(name, kind, tuple(shape)) for (name, kind, shape), _buffer in written]
        buffers += [buffer for _described, buffer in written]
    header = _Header(
        result=result,
        units=(output.units.pages, output.units.tokens, output.units.calls),
        ms=(round(answer.queue_ms, 3), round(answer.run_ms, 3)),
        spent=(round(spent.load, 3), round(spent.batch, 3), round(spent.infer, 3)),
        steps=output.steps,
        sizes=[len(buffer) for buffer in buffers],
        embedding=embedding,
        lifted=lifted,
        tensors=tensors,
        device_us=output.units.device_us,
        row_tokens=output.row_tokens,
        joined=answer.joined,
    )
    return pack_text(msgspec.json.encode(header), buffers)


def _written(output: WorkOutput) -> tuple[msgspec.Raw, msgspec.Raw | None, list[Json], list[Buffer]]:
    """Write the result and the embedding, and lift their long lists. A model that only computes tensors has neither."""
    if not output.result and output.embedding is None:
        return _NOTHING, None, [], []
    embedding = output.embedding and [output.embedding.digest, output.embedding.vector]
    said, lifted, buffers = lift({"result": output.result, "embedding": embedding})
    result, digest = (msgspec.Raw(json_text(said[name])) for name in ("result", "embedding"))
    return result, digest, lifted, buffers


def write_error(error: WorkError) -> bytes:
    return pack({"error": _describe(error)})


def read_plain(payload: Buffer) -> PlainAnswer | None:
    """Return the answer without reading its tensors, or None if `read_answer` has to read it."""
    text, message = split(payload)
    try:
        said = _read_header(text)
    except msgspec.DecodeError:
        return None  # It is an error, or text that only Python's decoder reads.
    if said.tensors is None or bytes(said.result) != b"{}" or said.embedding is not None or said.lifted:
        return None
    if not all(kind in ITEMS for _name, kind, _shape in said.tensors):
        return None
    buffers = [message[place] for place in places_of({SIZES: said.sizes}, text, len(message))]
    units = Units(*said.units, said.device_us)
    return PlainAnswer(units, *said.ms, SpentMs(*said.spent), said.joined, said.tensors, buffers)


def read_answer(payload: Buffer) -> LaneAnswer:
    """Return the answer, or raise the error that the model raised."""
    header, buffers = unpack(payload)
    if "error" in header:
        raise _error(header["error"])
    rest = iter(buffers)
    lower(header, header.get("lifted", []), rest)
    header.setdefault("spent", [0, 0, 0])  # a worker of an older version does not say it
    match header:
        case {
            "result": dict(result),
            "units": [int(pages), int(tokens), int(calls)],
            "ms": [int() | float() as queue_ms, int() | float() as run_ms],
            "spent": [int() | float() as load_ms, int() | float() as batch_ms, int() | float() as infer_ms],
            "steps": dict(steps),
        }:
            embedding = _embedding(header.get("embedding"))
            tensors = _tensors(header.get("tensors"), rest)
            row_tokens = _counts(header.get("row_tokens", []))
            units = Units(pages, tokens, calls, _device_us(header.get("device_us", 0)))
            output = WorkOutput(result, units, embedding, steps, tensors, row_tokens)
            spent = SpentMs(load_ms, batch_ms, infer_ms)
            return LaneAnswer(output, queue_ms, run_ms, spent, joined=header.get("joined") is True, written=payload)
    raise MessageMalformed(f"a payload with {names_in_words(sorted(header))}, which is no answer")


def _counts(said: Json) -> tuple[int, ...]:
    if not isinstance(said, list) or not all(type(count) is int for count in said):
        raise MessageMalformed(f"{str(said)[:80]} are no counts of tokens")
    return tuple(said)


def _device_us(said: Json) -> int:
    """Check the device time of a run. A worker of an older version does not send it."""
    if type(said) is not int or said < 0:
        raise MessageMalformed(f"{str(said)[:80]} is no time of a run")
    return said


def _embedding(said: object) -> Embedding | None:
    match said:
        case [str(digest), list(vector)]:
            return Embedding(digest, tuple(vector))
    return None


def _tensors(said: Json, buffers: Iterator[memoryview]) -> dict[str, Array] | None:
    """Read the tensors. Their buffers follow those of the lists that were lifted out of the JSON."""
    if said is None:
        return None
    try:
        return dict(read_array(one, buffer) for one, buffer in zip(said, buffers, strict=True))
    except (TypeError, ValueError) as error:
        raise MessageMalformed(f"{str(said)[:80]} are no tensors of this answer") from error


_KINDS: tuple[tuple[type[ModelFailed], str], ...] = (
    (ModelOverloaded, "overloaded"),
    (DeadlinePassed, "deadline"),
    (LaneUnavailable, "unavailable"),
    (ModelFailed, "failed"),
)
"""The kinds of errors. The first class that fits is used."""


def _describe(error: WorkError) -> dict[str, Any]:
    match error:
        case CallCanceled():
            return {"kind": "canceled", "code": "", "detail": ""}
        case StepFailed():
            return {**_failure("step", error), "step": error.step}
        case ModelFailed():
            return _failure(next(kind for made, kind in _KINDS if isinstance(error, made)), error)
        case WorkRefused():
            return {"kind": "refused", "code": error.code, "detail": error.detail}


def _failure(kind: str, error: ModelFailed) -> dict[str, Any]:
    return {"kind": kind, "code": error.code, "detail": error.detail, "retryable": error.retryable}


def _error(said: Any) -> Exception:
    if not isinstance(said, dict):
        return MessageMalformed(f"an error that is a {type(said).__name__}, not an object")
    code, detail, retryable = str(said.get("code")), str(said.get("detail")), said.get("retryable") is True
    match said:
        case {"kind": "step", "step": str(step)}:
            # The exception adds the name of the step by itself.
            return StepFailed(step, code, detail.removeprefix(f"step '{step}': "), retryable=retryable)
        case {"kind": "failed"}:
            return ModelFailed(code, detail, retryable=retryable)
        case {"kind": "canceled"}:
            return CallCanceled()
        case {"kind": "refused" | "overloaded" | "deadline" | "unavailable" as kind}:
            return {
                "refused": WorkRefused(code, detail),
                "overloaded": ModelOverloaded(detail),
                "deadline": DeadlinePassed(detail),
                "unavailable": LaneUnavailable(detail),
            }[kind]
    return MessageMalformed(f"an error that is described as {said!r:.80}")
