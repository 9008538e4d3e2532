"""The common way to run a model version of any kind."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import structlog

from inference.batching.batch_run import Ended
from inference.core.calls import Call
from inference.core.contracts import Json, VersionSpec, WorkInput, WorkOutput, WorkRefused
from inference.core.errors import CallCanceled, ModelFailed
from inference.pipelines.pipeline import DeclaredGraphs, GraphPipeline
from inference.pipelines.pixels import looks_at_picture
from inference.runtime.batched import Asked, Begins, BeginsRuns, SessionBatchers
from inference.runtime.embed import EmbedRuntime
from inference.runtime.machine import this_machine
from inference.runtime.memory_budget import budget_bytes
from inference.runtime.memory_in_use import gpu_memory, keep_no_large_blocks
from inference.runtime.metrics import ModelLoads
from inference.runtime.native import onnx_runtime
from inference.runtime.ocr import OcrRuntime
from inference.runtime.onnx_graph import OnnxRuntime
from inference.runtime.orient import OrientRuntime
from inference.runtime.packed_files import PackedFiles
from inference.runtime.parameters import (
    GRAPH,
    interface_of,
    validate_parameters,
    validate_work_kind,
    work_kind,
)
from inference.runtime.precision import artifact
from inference.runtime.profiles import ProfileStore
from inference.runtime.providers import CUDA, plan_execution
from inference.runtime.session_host import ResidentSession, SessionHost
from inference.runtime.shared_gpu import gauge_of
from inference.runtime.tensors import written

log = structlog.get_logger(__name__)


class Runtime(Protocol):
    @property
    def session_roles(self) -> tuple[str, ...]:
        """Return the roles of the artifacts that are held as sessions."""

    @property
    def may_use_gpu(self) -> bool:
        """Return whether the runtime may use a GPU if there is one."""

    def load(self, spec: VersionSpec) -> None: ...

    def run(self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json], call: Call) -> WorkOutput: ...


@dataclass(frozen=True, slots=True)
class ResidentModel:
    """A version whose sessions are all in memory, and their totals. A shared session counts in each of its versions."""

    key: str
    weight_bytes: int
    load_s: float
    runs: int
    rows: int
    run_s: float


class Hosting(Protocol):
    """The payment of models of accounts, which are in memory only while it is paid for."""

    def is_paid(self, engine_key: str) -> bool:
        """Return whether the version may run now, without waiting for anything."""

    def pay(self, engine_key: str) -> None:
        """Pay for the version. Raises ModelFailed if that is not possible."""


class Engine:
    def __init__(self, host: SessionHost, hosting: Hosting | None = None) -> None:
        """Set up the engine. Without `hosting`, models of accounts cost nothing while they are in memory."""
        self.host = host
        self._hosting = hosting
        self.batchers = SessionBatchers(host)
        self._runtimes = {name: make(self) for name, make in RUNTIMES.items()}
        self._beginning = {name: made for name, made in self._runtimes.items() if isinstance(made, BeginsRuns)}
        self._served: dict[str, VersionSpec] = {}
        self._graphs = DeclaredGraphs()
        self._lock = threading.Lock()

    def run(
        self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json], call: Call | None = None
    ) -> WorkOutput:
        """Run the model and return its result as JSON. If `call` is missing, there is no tenant and no deadline."""
        return written(self.answer(spec, work, parameters, call))

    def answer(
        self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json], call: Call | None = None
    ) -> WorkOutput:
        """Run the model like `run`, but return a graph's outputs as arrays instead of JSON."""
        call = call or Call()
        complete = _checked(spec, work, parameters, call)
        self._pay_for(spec)
        before_us = call.spent.device_us
        answer = self._runtimes[spec.runtime].run(spec, work, complete, call)
        self._remember(spec)
        return answer.timed(call.spent.device_us - before_us)

    def looks_at_picture(self, spec: VersionSpec) -> bool:
        """Return whether a run may look at the picture of a page that has text of its own."""
        return looks_at_picture(spec, self._graphs)

    def begin(self, spec: VersionSpec, asked: Sequence[Asked], ended: Ended) -> Begins:
        """Start the same work as `answer` for each of these callers, without waiting. The result is None for those
        whose thread must call `answer`. `ended`: see `Batcher.begin`.
        """
        runtime = self._beginning.get(spec.runtime)
        if runtime is None or (spec.isolated and self._hosting is not None and not self._hosting.is_paid(spec.key)):
            return [None] * len(asked)
        complete = [_complete(spec, one) for one in asked]
        begun = iter(runtime.begin(spec, [one for one in complete if not isinstance(one, Exception)], ended))
        return [one if isinstance(one, Exception) else next(begun) for one in complete]

    def rows_together(self, spec: VersionSpec) -> int:
        """Return how many rows of different callers a run may hold with the model as it is in memory now."""
        runtime = self._beginning.get(spec.runtime)
        return 1 if runtime is None else runtime.rows_together(spec)

    def load(self, spec: VersionSpec) -> None:
        """Bring every session of this version, its steps included, into memory and run each once."""
        _refuse_without_isolation(spec)
        interface_of(spec.runtime, spec.config)
        self._pay_for(spec)
        for step in spec.steps.values():
            self.load(step)
        self._runtimes[spec.runtime].load(spec)
        self._remember(spec)

    def drop(self, key: str) -> None:
        """Drop the files of a version from memory, except for those that are in use."""
        for path in self.own_files().get(key, ()):
            self.host.evict(path)

    def resident(self) -> tuple[ResidentModel, ...]:
        """Return the versions that have been served here and are still completely in memory."""
        held = {session.path: session for session in self.host.resident()}
        with self._lock:
            served = list(self._served.values())
        models = []
        for spec in served:
            sessions = [held.get(path) for path in self.session_paths(spec)]
            present = [session for session in sessions if session is not None]
            if len(present) == len(sessions):
                models.append(_resident(spec.key, present))
        return tuple(models)

    def session_paths(self, spec: VersionSpec) -> frozenset[str]:
        """Return the files that are in memory when this version is: its own and those of its steps."""
        return self._own_paths(spec).union(*map(self.session_paths, spec.steps.values()))

    def own_files(self) -> Mapping[str, frozenset[str]]:
        """Return, by version that has been served here, the files that are held for it, without those of its steps."""
        with self._lock:
            served = list(self._served.values())
        return {spec.key: self._own_paths(spec) for spec in served}

    def accepts(self, spec: VersionSpec) -> tuple[str, ...]:
        return interface_of(spec.runtime, spec.config).accepts

    def describe(self) -> str:
        return self.host.describe()

    def _pay_for(self, spec: VersionSpec) -> None:
        if spec.isolated and self._hosting is not None:
            self._hosting.pay(spec.key)

    def _own_paths(self, spec: VersionSpec) -> frozenset[str]:
        runtime = self._runtimes[spec.runtime]
        on_gpu = self.host.on_gpu and runtime.may_use_gpu and not spec.isolated
        files = (artifact(spec, role, on_gpu=on_gpu) for role in runtime.session_roles)
        return frozenset(_resolved(str(file)) for file in files)

    def _remember(self, spec: VersionSpec) -> None:
        with self._lock:
            self._served[spec.key] = spec


@lru_cache(maxsize=4096)
def _resolved(file: str) -> str:
    """Return the path without links. It is remembered: a model's file never changes, and heartbeats ask each time."""
    return str(Path(file).resolve())


def _checked(spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json], call: Call) -> Mapping[str, Json]:
    """Check the call, the kind of work and the parameters. Return the complete parameters."""
    call.check()
    _refuse_without_isolation(spec)
    validate_work_kind(spec.runtime, work_kind(work), spec.config)
    return validate_parameters(spec.runtime, parameters, spec.config)


def _refuse_without_isolation(spec: VersionSpec) -> None:
    """Refuse an isolated model whose runtime runs everything in this process."""
    if spec.isolated and spec.runtime != "onnx":
        raise ModelFailed("model_isolation_unavailable", f"{spec.key}: only ONNX graphs run in a process of their own")


@dataclass(frozen=True, slots=True)
class _Complete:
    work: WorkInput
    parameters: Mapping[str, Json]
    call: Call


def _complete(spec: VersionSpec, asked: Asked) -> Asked | Exception:
    """Return what is asked with complete parameters, or the error that refuses it."""
    try:
        parameters = _checked(spec, asked.work, asked.parameters, asked.call)
    except (WorkRefused, ModelFailed, CallCanceled) as error:
        return error
    return asked if parameters == asked.parameters else _Complete(asked.work, parameters, asked.call)


def _resident(key: str, sessions: Sequence[ResidentSession]) -> ResidentModel:
    return ResidentModel(
        key,
        weight_bytes=sum(session.weight_bytes for session in sessions),
        load_s=sum(session.load_s for session in sessions),
        runs=sum(session.runs for session in sessions),
        rows=sum(session.rows for session in sessions),
        run_s=sum(session.run_s for session in sessions),
    )


RUNTIMES: Mapping[str, Callable[[Engine], Runtime]] = {
    "ocr": lambda engine: OcrRuntime(engine.host, engine.batchers),
    "embed": lambda engine: EmbedRuntime(engine.host, engine.batchers),
    "orient": lambda engine: OrientRuntime(engine.host, engine.batchers),
    "onnx": lambda engine: OnnxRuntime(engine.host, engine.batchers),
    GRAPH: GraphPipeline,
}


def local_engine(
    *,
    memory_bytes: int | None = None,
    gpu_share: float = 1.0,
    tensorrt_cache: Path | None = None,
    profiles: ProfileStore | None = None,
    packed: Path | None = None,
    hosting: Hosting | None = None,
) -> Engine:
    """Create an engine on this machine's device. `gpu_share` is what this process may take of a GPU that others use as
    well. `tensorrt_cache` is the folder for TensorRT's engines, and `packed` the one for packed model files, if they
    are wanted. `hosting` pays for models of accounts.
    """
    keep_no_large_blocks()
    machine = this_machine()
    available = onnx_runtime().get_available_providers()
    # A device file says little: with an empty CUDA_VISIBLE_DEVICES, or without a driver, no device is usable.
    gpu = gpu_memory() if machine.has_nvidia_gpu and CUDA in available else None
    if machine.has_nvidia_gpu and CUDA in available and gpu is None:
        log.warning("gpu_not_used", reason="its driver refuses this process, or has no memory left for it")
    budget = memory_bytes or budget_bytes(
        machine_bytes=machine.memory_bytes,
        gpu_bytes=None if gpu is None else gpu.total_bytes(),
        gpu_share=gpu_share,
    )
    if tensorrt_cache is not None:
        tensorrt_cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    plan = plan_execution(
        available,
        threads=machine.threads,
        has_nvidia_gpu=gpu is not None,
        gpu_memory_bytes=budget,
        tensorrt_cache=None if tensorrt_cache is None else str(tensorrt_cache),
    )
    host = SessionHost(
        plan,
        budget_bytes=budget,
        profiles=profiles,
        memory=None if gpu is None else gauge_of(gpu, gpu_share),
        packed=None if packed is None else PackedFiles(packed),
    )
    return Engine(host, hosting)


def loads_of(engine: Engine) -> Mapping[str, ModelLoads]:
    """Return the loads of every version that was served here. A pipeline has no files; its members have them."""
    tallies = engine.host.tallies()
    held = {session.path: session.held_bytes for session in engine.host.resident()}
    found = {}
    for key, paths in engine.own_files().items():
        tallies_found = [tallies[path] for path in paths if path in tallies]
        found[key] = ModelLoads(
            loads=sum(tally.loads for tally in tallies_found),
            load_s=sum(tally.load_s for tally in tallies_found),
            failures=sum(tally.failures for tally in tallies_found),
            evictions=sum(tally.evictions for tally in tallies_found),
            held_bytes=sum(held.get(path, 0) for path in paths),
        )
    return found
