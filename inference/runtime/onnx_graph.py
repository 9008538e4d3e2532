"""The runtime for any ONNX graph: named tensors in, named tensors out, checked against what the file declares."""

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import structlog

from inference.batching.batch_run import Ended
from inference.batching.batcher import Piece
from inference.batching.limits import Sharing
from inference.core.calls import Call, RunControl
from inference.core.contracts import Json, TensorInput, VersionSpec, WorkInput, WorkOutput, WorkRefused
from inference.core.errors import ModelFailed
from inference.model_host import HostDied
from inference.runtime.batched import ONNX_LIMITS, Asked, Begins, Part, Ready, SessionBatchers
from inference.runtime.fixed_size_runs import RunRows, in_whole_runs
from inference.runtime.graph_outline import OutlineUnreadable, read_outline
from inference.runtime.precision import artifact
from inference.runtime.row_independence import (
    NO_PROOF,
    RowIndependence,
    find_row_independence,
    has_free_rows,
    padded_to,
)
from inference.runtime.row_proof import Proof, prove_rows
from inference.runtime.session import InvalidFeed, Session
from inference.runtime.session_host import SessionHost, resolved
from inference.runtime.tensor_requests import NUMPY_TYPES
from inference.runtime.tensors import Array, TensorSpec, own_tensor, tensor_spec

log = structlog.get_logger(__name__)
TRIAL_S = 3.0
"""Seconds of a load for the trial of rows. A graph that takes longer is run for one caller at a time."""


@dataclass(frozen=True, slots=True)
class Signature:
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]

    def as_json(self) -> dict[str, Json]:
        return {
            "inputs": [tensor.as_json() for tensor in self.inputs],
            "outputs": [tensor.as_json() for tensor in self.outputs],
        }


@dataclass(slots=True)
class CallersRows:
    """The tensors of a caller, which run together with those of others, or alone."""

    feeds: Mapping[str, Array]
    rows: int
    shared: bool
    outputs: tuple[TensorSpec, ...]
    """The outputs that the caller's version promises."""


Layout = tuple[tuple[str, Any, tuple[int, ...]], ...]
"""The name, type and shape of each tensor of a call."""
MAX_FITTING = 1024


@dataclass(frozen=True, slots=True)
class _Fitting:
    """A layout of calls that fits the graph."""

    rows: int
    alike: bool
    """True if all tensors have the same number of rows, no more than fit into a run."""
    group: Hashable
    """The key of calls that may share a batch: everything about the layout except the number of rows."""


class _Known:
    """The facts that the calls of an open session share, so that none of them looks them up again."""

    def __init__(self, session: Session) -> None:
        self.signature = Signature(tuple(map(tensor_spec, session.inputs)), tuple(map(tensor_spec, session.outputs)))
        self._fitting: dict[Layout, _Fitting] = {}
        self._promised: dict[str, Signature] = {}

    def promised_by(self, spec: VersionSpec) -> Signature:
        """Return the signature with the shapes of outputs that the version knows. Several versions may use a file."""
        found = self._promised.get(spec.key)
        if found is None:
            outputs = [_reshaped(output, spec.output_shapes) for output in self.signature.outputs]
            found = self._promised[spec.key] = replace(self.signature, outputs=tuple(outputs))
        return found

    def fitting(self, tensors: Mapping[str, Array]) -> _Fitting:
        """Check the tensors of a call. Raises WorkRefused."""
        layout = tuple([(name, tensor.dtype, tensor.shape) for name, tensor in tensors.items()])
        found = self._fitting.get(layout)
        if found is None:
            check_tensors(self.signature, tensors)
            if len(self._fitting) >= MAX_FITTING:
                self._fitting.clear()
            found = self._fitting[layout] = _fitting(layout)
        return found


def _reshaped(output: TensorSpec, shapes: Mapping[str, tuple[int, ...]]) -> TensorSpec:
    return replace(output, shape=shapes.get(output.name, output.shape))


def _fitting(layout: Layout) -> _Fitting:
    counts = {shape[0] if shape else 1 for _name, _type, shape in layout}
    rows = max(counts, default=1)
    group = tuple(sorted((name, dtype.str, shape[1:]) for name, dtype, shape in layout))
    return _Fitting(rows, len(counts) == 1 and 0 < rows <= ONNX_LIMITS.max_rows, group)


class OnnxRuntime:
    session_roles = ("weights",)
    may_use_gpu = True

    def __init__(self, host: SessionHost, batchers: SessionBatchers) -> None:
        self._host = host
        self._batchers = batchers
        self._independence: dict[Path, RowIndependence] = {}

    def load(self, spec: VersionSpec) -> None:
        self._host.load(self._weights(spec), partial(self._warm_up, spec), name=spec.key, isolated=spec.isolated)

    def run(self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json], call: Call) -> WorkOutput:
        path, isolated = self._weights(spec), spec.isolated
        warm_up = partial(self._warm_up, spec)
        with self._host.session(path, warm_up, call=call, name=spec.key, isolated=isolated) as session:
            part = Part(spec.key, "weights")
            pieces = [_piece(session, spec, work, shares=self._may_share(session.path, part))]
            answers = self._batchers.run(session, pieces, self._run_rows, of=part, limits=ONNX_LIMITS, call=call)
            return _output(session, answers)

    def begin(self, spec: VersionSpec, asked: Sequence[Asked], ended: Ended) -> Begins:
        part, path = Part(spec.key, "weights"), self._weights(spec)
        shares = self._may_share(Path(resolved(path)), part)

        def prepare(session: Session, one: Asked) -> Ready:
            return Ready([_piece(session, spec, one.work, shares=shares)], partial(_output, session))

        return self._batchers.begin(
            path,
            asked,
            prepare,
            self._run_rows,
            of=part,
            limits=ONNX_LIMITS,
            ended=ended,
            isolated=spec.isolated,
        )

    def rows_together(self, spec: VersionSpec) -> int:
        part = Part(spec.key, "weights")
        shares = self._may_share(Path(resolved(self._weights(spec))), part)
        return self._batchers.limits_of(part, ONNX_LIMITS).max_rows if shares else 1

    def _may_share(self, path: Path, part: Part) -> bool:
        independence = self._independence.get(path)
        sharing = self._batchers.limits_of(part, ONNX_LIMITS).sharing
        return (
            independence is not None
            and sharing is not Sharing.NEVER
            and independence.may_share(unproven=sharing is Sharing.TRIED)
        )

    def _run_rows(
        self, session: Session, callers: Sequence[CallersRows], _length: int, control: RunControl
    ) -> list[list[Array]]:
        try:
            if not callers[0].shared:
                return [_checked(caller, session.run(caller.feeds, control=control)) for caller in callers]
            min_rows = self._independence[session.path].min_rows or 1
            joined = {
                name: padded_to(np.concatenate([caller.feeds[name] for caller in callers]), min_rows)
                for name in callers[0].feeds
            }
            together = _in_rows(session, partial(session.run, control=control))
            answers = _checked(callers[0], list(together(joined)))
        except InvalidFeed as error:
            raise WorkRefused("invalid_tensor", str(error)) from error
        return split_rows(answers, [caller.rows for caller in callers], min_rows)

    def _warm_up(self, spec: VersionSpec, session: Session) -> None:
        """Run the smallest input and find out whether rows may share a run. Other graphs are warmed up by a caller."""
        signature = _known_of(session).promised_by(spec)
        feeds = {tensor.name: _smallest(tensor) for tensor in signature.inputs}
        try:
            session.run(feeds, control=RunControl())
        except HostDied:
            raise
        except (InvalidFeed, ModelFailed):
            pass  # There are graphs that take no zeros.
        independence = self._independence.get(session.path)
        if independence is None or not independence.certain:
            independence = self._found_before(session) or self._tried(session, signature)
            self._independence[session.path] = independence
        if session.on_gpu and independence.batchable:
            # This run has the size of later runs. A GPU's libraries take their time for each new size.
            with suppress(InvalidFeed, ModelFailed):
                in_whole_runs(session.run)(feeds)

    def _found_before(self, session: Session) -> RowIndependence | None:
        """Return the result of another process or of an earlier start, because the rows of a file do not change."""
        profile = self._host.profile(session.path)
        match profile.exactness if profile is not None else None:
            case {"min_rows": int() | None as least, "reason": str(reason), "proven": bool(proven)}:
                return RowIndependence(least, reason, proven=proven)
        return None

    def _tried(self, session: Session, signature: Signature) -> RowIndependence:
        found = _try_rows(session, signature)
        if found.certain:
            exactness = {"min_rows": found.min_rows, "reason": found.reason, "proven": found.proven}
            self._host.learn(session.path, exactness=exactness)
        log.info(
            "row_independence_tested",
            model=session.name,
            min_rows=found.min_rows,
            proven=found.proven,
            reason=found.reason,
        )
        return found

    def _weights(self, spec: VersionSpec) -> str:
        return artifact(spec, "weights", on_gpu=self._host.on_gpu and not spec.isolated)


def _piece(session: Session, spec: VersionSpec, work: WorkInput, *, shares: bool) -> Piece[CallersRows]:
    if not isinstance(work, TensorInput):
        raise WorkRefused("input_not_accepted", "this model reads tensors, not documents or text")
    known = _known_of(session)
    fitting, outputs = known.fitting(work.tensors), known.promised_by(spec).outputs
    shared = shares and fitting.alike
    rows = CallersRows(work.tensors, fitting.rows, shared, outputs)
    group = (fitting.group, outputs) if shared else object()
    return Piece(rows, group=group, rows=min(max(fitting.rows, 1), ONNX_LIMITS.max_rows))


def _output(session: Session, answers: Sequence[Sequence[Array]]) -> WorkOutput:
    (outputs,) = answers
    names = [output.name for output in session.outputs]
    return WorkOutput({}, tensors={name: own_tensor(output) for name, output in zip(names, outputs, strict=True)})


def _try_rows(session: Session, signature: Signature) -> RowIndependence:
    proof = _proof(session.path) if has_free_rows(signature.inputs, signature.outputs) else NO_PROOF
    runs = _in_rows(session, RunsInTime(session.run, time.monotonic() + TRIAL_S))
    with session.memory.giving_back():
        found = find_row_independence(signature.inputs, signature.outputs, runs, proof=proof)
        # The last answers were in the arena until just now, so another run gives their memory back, too.
        with suppress(InvalidFeed, ModelFailed):
            session.run({tensor.name: _smallest(tensor) for tensor in signature.inputs})
    return found


def _in_rows(session: Session, run: RunRows) -> RunRows:
    """Return a function that runs the rows of several callers together, in the way that this device needs."""
    return in_whole_runs(run) if session.on_gpu else run


def _checked(caller: CallersRows, answers: list[Array]) -> list[Array]:
    """Check the shapes of the outputs and return the outputs. Otherwise, a model that returns a wrong shape for some
    values could mix up the rows of callers.
    """
    for promised, answer in zip(caller.outputs, answers, strict=True):
        promised.check_output(answer)
    return answers


def _proof(path: Path) -> Proof:
    try:
        return prove_rows(read_outline(path))
    except OutlineUnreadable as error:
        log.warning("onnx_graph_not_analyzed", file=str(path), error=str(error))
        return Proof(False, "its file cannot be followed")


class RunsInTime:
    """A runner that refuses a run that comes too late, or would by the time per value of earlier runs."""

    def __init__(
        self,
        run: Callable[[Mapping[str, Array]], list[Array]],
        give_up_at_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._run = run
        self._give_up_at_s = give_up_at_s
        self._clock = clock
        self._s_per_value = float("inf")

    def __call__(self, feeds: Mapping[str, Array]) -> list[Array]:
        values = sum(tensor.size for tensor in feeds.values())
        expected_s = values * self._s_per_value if self._s_per_value < float("inf") else 0.0
        began_s = self._clock()
        if began_s + expected_s > self._give_up_at_s:
            raise TimeoutError(f"its runs take longer than {TRIAL_S:g} s")
        answers = self._run(feeds)
        self._s_per_value = min(self._s_per_value, (self._clock() - began_s) / max(1, values))
        return answers


def split_rows(answers: Sequence[Array], counts: Sequence[int], min_rows: int) -> list[list[Array]]:
    """Return each caller's part of every output. A wrong number of rows would shift the next caller's part."""
    total = sum(counts)
    for answer in answers:
        got = answer.shape[0] if answer.ndim else None
        if got != max(total, min_rows):
            raise ModelFailed(
                "model_output_invalid", f"an output has {got} rows for {max(total, min_rows)} rows of input"
            )
    ends = accumulate(counts, initial=0)
    return [[answer[start:end] for answer in answers] for start, end in pairwise(ends)]


def read_signature(host: SessionHost, path: str | Path) -> Signature:
    """Return what a file declares, for its row in the registry."""
    with host.session(path) as session:
        return signature_of(session)


def signature_of(session: Session) -> Signature:
    return _known_of(session).signature


def _known_of(session: Session) -> _Known:
    found = _known.get(session)
    if found is None:
        found = _known[session] = _Known(session)
    return found


_known: WeakKeyDictionary[Session, _Known] = WeakKeyDictionary()
"""The facts about the open sessions. Every call needs them."""


def check_tensors(signature: Signature, tensors: Mapping[str, Array]) -> None:
    expected = {tensor.name: tensor for tensor in signature.inputs}
    if set(tensors) != set(expected):
        wanted, got = (", ".join(f"'{name}'" for name in sorted(names)) or "none" for names in (expected, tensors))
        raise WorkRefused("invalid_tensor", f"expected tensors {wanted}; got {got}")
    for name, tensor in tensors.items():
        expected[name].check(tensor)


def _smallest(tensor: TensorSpec) -> Array:
    shape = [max(size, 1) for size in tensor.shape]
    if tensor.datatype == "BYTES":
        return np.full(shape, "", object)
    return np.zeros(shape, NUMPY_TYPES[tensor.datatype])
