"""The one way to run a model version, whatever its kind."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import onnxruntime as ort

from inference.contracts import Json, VersionSpec, WorkInput, WorkOutput
from inference.pipelines.parse import ParsePipeline
from inference.runtime.artifacts import artifact
from inference.runtime.embed import EmbedRuntime
from inference.runtime.machine import this_machine
from inference.runtime.ocr import OcrRuntime
from inference.runtime.onnx_graph import OnnxRuntime
from inference.runtime.parameters import interface_of, validate_parameters, validate_work_kind, work_kind
from inference.runtime.providers import plan_execution
from inference.runtime.session_host import SessionHost

MEMORY_SHARE = 0.5
"""Part of this machine's memory that weights may take; the rest is for activations and everyone else."""


class Runtime(Protocol):
    @property
    def session_roles(self) -> tuple[str, ...]:
        """Artifacts that are held as sessions."""

    def load(self, spec: VersionSpec) -> None: ...

    def run(self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json]) -> WorkOutput: ...


@dataclass(frozen=True, slots=True)
class ResidentModel:
    """A model version whose every session is in memory."""

    key: str
    weight_bytes: int
    load_s: float


class Engine:
    def __init__(self, host: SessionHost) -> None:
        self.host = host
        self._runtimes = {name: make(self) for name, make in RUNTIMES.items()}
        self._served: dict[str, VersionSpec] = {}
        self._lock = threading.Lock()

    def run(self, spec: VersionSpec, work: WorkInput, parameters: Mapping[str, Json]) -> WorkOutput:
        validate_work_kind(spec.runtime, work_kind(work))
        complete = validate_parameters(spec.runtime, parameters)
        answer = self._runtimes[spec.runtime].run(spec, work, complete)
        self._remember(spec)
        return answer

    def load(self, spec: VersionSpec) -> None:
        """Bring every session of this version, its steps included, into memory and run each once."""
        interface_of(spec.runtime)
        for step in spec.steps.values():
            self.load(step)
        self._runtimes[spec.runtime].load(spec)
        self._remember(spec)

    def resident(self) -> tuple[ResidentModel, ...]:
        """The versions that have been served here and are still wholly in memory."""
        held = {session.path: session for session in self.host.resident()}
        with self._lock:
            served = list(self._served.values())
        models = []
        for spec in served:
            sessions = [held.get(path) for path in self.session_paths(spec)]
            present = [session for session in sessions if session is not None]
            if len(present) == len(sessions):
                total_bytes = sum(session.weight_bytes for session in present)
                load_s = sum(session.load_s for session in present)
                models.append(ResidentModel(spec.key, total_bytes, load_s))
        return tuple(models)

    def session_paths(self, spec: VersionSpec) -> frozenset[str]:
        """The files that are in memory when this version is: its own and its steps'."""
        roles = self._runtimes[spec.runtime].session_roles
        own = {str(Path(artifact(spec, role)).resolve()) for role in roles}
        return frozenset(own.union(*map(self.session_paths, spec.steps.values())))

    def accepts(self, spec: VersionSpec) -> tuple[str, ...]:
        return interface_of(spec.runtime).accepts

    def describe(self) -> str:
        return self.host.describe()

    def _remember(self, spec: VersionSpec) -> None:
        with self._lock:
            self._served[spec.key] = spec


RUNTIMES: Mapping[str, Callable[[Engine], Runtime]] = MappingProxyType(
    {
        "ocr": lambda engine: OcrRuntime(engine.host),
        "embed": lambda engine: EmbedRuntime(engine.host),
        "parse": ParsePipeline,
        "onnx": lambda engine: OnnxRuntime(engine.host),
    }
)


def local_engine(*, memory_bytes: int | None = None) -> Engine:
    """An engine on this machine's own device, with half of its memory unless told otherwise."""
    machine = this_machine()
    plan = plan_execution(
        ort.get_available_providers(),
        threads=machine.threads,
        has_nvidia_gpu=machine.has_nvidia_gpu,
        gpu_memory_bytes=memory_bytes,
    )
    return Engine(SessionHost(plan, budget_bytes=memory_bytes or int(machine.memory_bytes * MEMORY_SHARE)))
