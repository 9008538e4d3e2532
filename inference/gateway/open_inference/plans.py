"""Read requests and write answers by plans. A plan is made once, by the code that reads any request, and then used for
all requests that differ only in their values and their ids.

A request without a plan is not wrong: the general way reads it and says what is wrong with it, if anything is.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

import msgspec
import numpy as np
from msgspec import UNSET, Struct, UnsetType

from inference.core.contracts import Json, TensorInput, Units, WorkRefused
from inference.gateway.open_inference.answer_sizes import written_bytes
from inference.gateway.open_inference.answers import write_answer
from inference.gateway.open_inference.faces import face_of
from inference.gateway.open_inference.infer import checked_work, given_outputs
from inference.gateway.open_inference.request_fields import MAX_CHARACTERS
from inference.gateway.open_inference.requests import InferRequest, WantedOutput, read_request
from inference.gateway.open_inference.works import tensors_of
from inference.gateway.targets import Target
from inference.rpc.answers import Described, SpentMs, read_answer, read_plain
from inference.rpc.arrays import ITEMS
from inference.rpc.frames import Buffer, between
from inference.rpc.works import parts_of
from inference.runtime.parameters import validate_parameters, validate_work_kind
from inference.runtime.tensor_requests import validate_input
from inference.runtime.tensors import Array, datatype_of
from tenants.core.errors import DomainError

RUNTIME = "onnx"
"""The runtime whose answers are tensors. Those of others are written by the general way."""
MAX_PLANS = 512
"""The most plans of a model version. If there are more, all are forgotten."""
MAX_HEADER_BYTES = 4096
ANY_VALUES = frozenset(f"{kind}{bits}" for kind in ("INT", "UINT") for bits in (8, 16, 32, 64)) | {
    "FP16",
    "FP32",
    "FP64",
}
"""The datatypes of which any bytes are values. Bytes of BOOL and BYTES have to be looked at."""

TENSORS = TensorInput({})

Scalar = bool | int | float | str
K = TypeVar("K")
V = TypeVar("V")


class _Input(Struct, forbid_unknown_fields=True):
    name: str
    shape: list[int]
    datatype: str
    data: list[int | float] | UnsetType = UNSET
    parameters: dict[str, Scalar] | UnsetType = UNSET


class _Output(Struct, forbid_unknown_fields=True):
    name: str
    parameters: dict[str, Scalar] | UnsetType = UNSET


class _Request(Struct, forbid_unknown_fields=True):
    inputs: list[_Input]
    id: str | UnsetType = UNSET
    outputs: list[_Output] | UnsetType = UNSET
    parameters: dict[str, Scalar] | UnsetType = UNSET


_read_request = msgspec.json.Decoder(_Request).decode
_write = msgspec.json.Encoder().encode


@dataclass(slots=True)
class Planned:
    """A request that is ready to be sent to a worker."""

    plans: "Plans"
    payload: bytes
    id: str | None
    plan: "_Plan"

    @property
    def work(self) -> TensorInput:
        """Return the work of every call of its kind, whose most does not depend on its tensors."""
        return TENSORS

    def answer(self, payload: Buffer) -> "PlannedAnswer":
        """Read the answer of a worker. Raises the error that the model raised."""
        return self.plans.answer(self, payload)

    @property
    def digest(self) -> bytes:
        """Return the digest of the input, under which its result is kept."""
        return sha256(self.payload).digest()


@dataclass(frozen=True, slots=True)
class _Plan:
    wanted: tuple[WantedOutput, ...]
    all_binary: bool
    between: tuple[bytes, ...]
    """The bytes of the message before each tensor's values."""
    order: tuple[int, ...]
    """The position in the request of each tensor of the message."""
    types: tuple[str, ...]
    counts: tuple[int, ...]
    sizes: tuple[int, ...]
    """The bytes of each tensor's values."""
    in_bytes: bool
    """True if the values follow the JSON as bytes, otherwise they are in it."""

    def from_bytes(self, body: bytes, start: int) -> bytes | None:
        if start + sum(self.sizes) != len(body):
            return None
        values = []
        for size in self.sizes:
            values.append(body[start : start + size])
            start += size
        return self._message(values)

    def from_numbers(self, body: bytes, length: int, data: Sequence[list[int | float]]) -> bytes | None:
        if length != len(body) or len(data) != len(self.types):
            return None
        values = []
        for numbers, datatype, count in zip(data, self.types, self.counts, strict=True):
            buffer = _numbers(numbers, datatype) if len(numbers) == count else None
            if buffer is None:
                return None
            values.append(buffer)
        return self._message(values)

    def _message(self, values: Sequence[bytes]) -> bytes:
        parts = []
        for before, position in zip(self.between, self.order, strict=True):
            parts += [before, values[position]]
        return b"".join(parts)


def _numbers(values: list[int | float], datatype: str) -> bytes | None:
    """Return the values as bytes, or None if they are not of this type."""
    floats = datatype.startswith("FP")
    if not floats and any(type(value) is float for value in values):
        return None
    try:
        with np.errstate(over="ignore"):
            array = np.array(values, dtype=ITEMS[datatype])
    except (OverflowError, ValueError):
        return None
    return array.tobytes() if not floats or np.isfinite(array).all() else None


class Plans:
    """The plans of a model version."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._face = face_of(target.runtime, target.accepts, target.signature)
        self.kind = self._face.asked
        self._by_envelope: dict[bytes, _Plan | None] = {}
        self._by_text: dict[bytes, _Plan] = {}
        """The plans by the exact JSON in front of bytes, which many clients send again and again."""
        self._frames: dict[tuple[Any, ...], _Frame] = {}

    def read(self, body: bytes, length: int) -> Planned | None:
        """Read the request, or return None if the general way must. `length` is the length of the JSON in the body."""
        text = body[:length]
        plan = self._by_text.get(text)
        if plan is not None:
            payload = plan.from_bytes(body, length)
            return None if payload is None else Planned(self, payload, None, plan)
        try:
            request = _read_request(text)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
        named = None if request.id is UNSET else request.id
        data = [one.data for one in request.inputs if one.data is not UNSET]
        envelope = _envelope(request, text, len(data))
        if envelope is None or len(envelope) > MAX_HEADER_BYTES:
            return None
        plan = self._plan(envelope, body, length)
        if plan is None:
            return None
        payload = plan.from_bytes(body, length) if plan.in_bytes else plan.from_numbers(body, length, data)
        if payload is None:
            return None
        if plan.in_bytes and named is None and length <= MAX_HEADER_BYTES:
            _remember(self._by_text, text, plan)
        return Planned(self, payload, named, plan)

    def _plan(self, envelope: bytes, body: bytes, length: int) -> _Plan | None:
        if envelope in self._by_envelope:
            return self._by_envelope[envelope]
        if self._target.runtime != RUNTIME:
            return None
        try:
            request = read_request(body, length)
            work = checked_work(self._face, request)
            validate_work_kind(self._target.runtime, self._face.asked, self._target.config)
            filled = validate_parameters(self._target.runtime, request.parameters or {}, self._target.config)
            validate_input(self._target.signature, work)
        except (DomainError, WorkRefused):
            # Other values may be right in the same envelope.
            return None
        plan = None
        if isinstance(work, TensorInput):
            plan = _plan_of(request, work, filled, in_bytes=length < len(body))
        _remember(self._by_envelope, envelope, plan)
        return plan

    def answer(self, planned: Planned, payload: Buffer) -> "PlannedAnswer":
        plain = read_plain(payload)
        if plain is not None:
            times = (plain.queue_ms, plain.run_ms, plain.spent, plain.joined)
            return PlannedAnswer(planned, payload, plain.units, *times, None, plain.described, plain.buffers)
        read = read_answer(payload)  # Raises the error.
        times = (read.queue_ms, read.run_ms, read.spent, read.joined)
        return PlannedAnswer(planned, payload, read.output.units, *times, tensors_of(read.output))

    def body(self, answer: "PlannedAnswer") -> tuple[bytes, int | None]:
        """Return the body of the answer, and the length of its JSON if bytes follow it. Raises InvalidRequest if JSON
        is wanted for values that JSON cannot express.
        """
        plan, target, named = answer.planned.plan, self._target, answer.planned.id
        if answer.tensors is None:
            key = (plan.wanted, plan.all_binary, *answer.described)
            frame = self._frames.get(key)
            if frame is None:
                frame = self._frame(plan, answer)
                _remember(self._frames, key, frame)
            if frame.order is not None:
                text = frame.text(named)
                return b"".join([text, *(answer.buffers[position] for position in frame.order)]), len(text)
        written = write_answer(target.model, target.number, named, given_outputs(plan, answer.arrays()))
        return written.body, written.header_length

    def _frame(self, plan: _Plan, answer: "PlannedAnswer") -> "_Frame":
        arrays = answer.arrays()
        outputs = given_outputs(plan, arrays)
        names = list(arrays)
        if not all(one.binary and datatype_of(one.tensor) in ANY_VALUES for one in outputs):
            return _Frame(b"", b"", None)
        written = write_answer(self._target.model, self._target.number, None, outputs)
        text = written.body[: written.header_length]
        head, mark, rest = text.partition(b',"outputs":')
        return _Frame(head, mark + rest, tuple(names.index(one.name) for one in outputs))


@dataclass(frozen=True, slots=True)
class _Frame:
    """The JSON of answers whose tensors are all wanted as bytes."""

    head: bytes
    tail: bytes
    order: tuple[int, ...] | None
    """The position of each output's values, or None if the JSON depends on the values."""

    def text(self, named: str | None) -> bytes:
        if named is None:
            return self.head + self.tail
        return b"".join((self.head, b',"id":', json.dumps(named).encode(), self.tail))


@dataclass(slots=True)
class PlannedAnswer:
    planned: Planned
    payload: Buffer
    """The worker's answer as it arrived."""
    units: Units
    queue_ms: float
    run_ms: float
    spent: SpentMs
    joined: bool
    tensors: Mapping[str, Array] | None
    """The outputs, or None if they are still the bytes of the message."""
    described: Sequence[Described] = ()
    buffers: Sequence[memoryview] = ()

    @property
    def size(self) -> int:
        """Return the number of bytes of the outputs. For texts it is a guess."""
        if self.tensors is None:
            return sum(map(len, self.buffers))
        return sum(tensor.nbytes if tensor.dtype.kind != "O" else 64 * tensor.size for tensor in self.tensors.values())

    def written_bytes(self) -> int:
        """Return about how large the answer will be."""
        return written_bytes(given_outputs(self.planned.plan, self.arrays()))

    def arrays(self) -> Mapping[str, Array]:
        if self.tensors is not None:
            return self.tensors
        pairs = zip(self.described, self.buffers, strict=True)
        return {name: np.frombuffer(buffer, ITEMS[kind]).reshape(shape) for (name, kind, shape), buffer in pairs}

    def body(self) -> tuple[bytes, int | None]:
        return self.planned.plans.body(self)


def _envelope(request: _Request, text: bytes, with_data: int) -> bytes | None:
    """Return the request without its values and its id, as JSON. Return None if the general way must read it: some
    values are in the JSON and others are not, or a name may be given twice, of which the decoder takes the last.
    """
    if with_data not in (0, len(request.inputs)) or b"\\" in text:
        return None
    if request.id is not UNSET and len(request.id) > MAX_CHARACTERS:
        return None
    for one in request.inputs:
        one.data = UNSET
    beside = 2 * with_data + (0 if request.id is UNSET else 4)
    request.id = UNSET
    envelope = _write(request)
    if envelope.count(b'"') + beside != text.count(b'"'):
        return None
    return b"%d%b" % (with_data, envelope)


def _plan_of(request: InferRequest, work: TensorInput, filled: Mapping[str, Json], *, in_bytes: bool) -> _Plan | None:
    types = tuple(datatype_of(tensor) or "" for tensor in work.tensors.values())
    if filled or not types or request.timeout_s is not None or not ANY_VALUES.issuperset(types):
        return None
    header, buffers = parts_of(work, filled)
    names = list(work.tensors)
    return _Plan(
        wanted=request.wanted,
        all_binary=request.all_binary,
        between=tuple(between(header, list(map(len, buffers)))),
        order=tuple(map(names.index, sorted(names))),
        types=types,
        counts=tuple(tensor.size for tensor in work.tensors.values()),
        sizes=tuple(tensor.nbytes for tensor in work.tensors.values()),
        in_bytes=in_bytes,
    )


def _remember(plans: dict[K, V], key: K, plan: V) -> None:
    if len(plans) >= MAX_PLANS:
        plans.clear()
    plans[key] = plan
