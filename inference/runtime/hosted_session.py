"""A model file opened in ONNX Runtime."""

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import structlog

from inference.core.calls import RunControl
from inference.core.errors import CallCanceled, ModelFailed
from inference.model_host.confined.denormals import denormals_flushed
from inference.runtime.bound_run import BoundRun, can_be_bound
from inference.runtime.error_texts import gpu_was_full, plain_words
from inference.runtime.memory_in_use import MemoryGauge, memory_of
from inference.runtime.native import invalid_argument, onnx_runtime
from inference.runtime.packed_files import PackedFiles
from inference.runtime.providers import CPU, ExecutionPlan
from inference.runtime.run_limit import RunTookTooLong, run_limit
from inference.runtime.run_memory import RunMemory
from inference.runtime.session import InvalidFeed, RunTally, rows_of, weight_bytes
from inference.runtime.tensors import Array, NodeArg

log = structlog.get_logger(__name__)
FATAL_ONLY = 4
MAX_AT_ONCE = 4
"""The most runs of a session at the same time on the CPU. Each has its share of the threads."""
RUN_LIMIT_S = 30.0
"""The longest time of a run in seconds. The most expensive built-in batch takes a few seconds on two cores."""


class HostedSession:
    """A session that is safe to share between threads."""

    def __init__(
        self,
        path: Path,
        plan: ExecutionPlan,
        *,
        memory: MemoryGauge | None = None,
        name: str = "",
        packed: PackedFiles | None = None,
    ) -> None:
        """Open the file. With `packed`, several runs at the same time share the threads of the CPU, and a run alone has
        all of them.
        """
        self.path = path
        self.name = name or path.name
        """The name that callers and operators know. The file names of added models do not differ."""
        self.weight_bytes = weight_bytes(path)
        started_s = time.monotonic()
        at_once = 1 if plan.on_gpu or packed is None else min(MAX_AT_ONCE, plan.threads)
        sessions = None if packed is None or plan.on_gpu else _packed_sessions(path, plan, packed, at_once)
        self.at_once = 1 if sessions is None else at_once
        """The number of runs at the same time, which take less processor time than one after another."""
        session, beside = sessions or (_open(path, plan, self.name), None)
        self._beside: Any = beside
        """The session for runs beside others."""
        self.load_s = time.monotonic() - started_s
        self.provider: str = session.get_providers()[0]
        self.on_gpu = self.provider != CPU
        if plan.on_gpu and not self.on_gpu:
            log.warning("gpu_not_used", model=self.name, reason="ONNX Runtime could not load its libraries")
        self.inputs = tuple(_node_arg(arg) for arg in session.get_inputs())
        self.outputs = tuple(_node_arg(arg) for arg in session.get_outputs())
        self.metadata: Mapping[str, str] = session.get_modelmeta().custom_metadata_map
        self.tally = RunTally()
        self.memory = RunMemory(memory or memory_of(on_gpu=self.on_gpu), on_gpu=self.on_gpu)
        self._session: Any = session
        self._bound = BoundRun(session) if self.on_gpu and can_be_bound(session) else None
        # A run with all threads uses every core, so more of these at once would only multiply the memory in use.
        self._runs = threading.Semaphore(2 if self.on_gpu else self.at_once)

    def run(
        self,
        feeds: Mapping[str, Array],
        outputs: Sequence[str] | None = None,
        *,
        control: RunControl | None = None,
    ) -> list[Any]:
        """Run the model. It raises CallCanceled if `control` ended the run, between two operators."""
        control = control or RunControl()
        try:
            with (
                self._runs,
                run_limit.of(RUN_LIMIT_S) as options,
                _ended_by(control, options),
                denormals_flushed(),
            ):
                started_s = time.monotonic()
                # A host that is short of memory has no second arena.
                beside = self._beside is not None and control.has_company and not self.memory.gives_back
                answers = self.memory.measured(
                    lambda: self._run(feeds, outputs, options, beside=beside), feeds, options
                )
                seconds = (time.monotonic() - started_s) / (self.at_once if beside else 1)
                self.tally.add(rows=rows_of(feeds), seconds=seconds)
                control.computed(seconds)
        except RunTookTooLong as error:
            raise ModelFailed("model_timeout", f"{self.name} ran {error} and was ended") from error
        except ModelFailed:
            raise
        except (invalid_argument(), ValueError) as error:
            raise InvalidFeed(plain_words(str(error))) from error
        except Exception as error:  # ONNX Runtime's errors share no base class.
            if control.ended:
                raise CallCanceled from error
            raise _failure("model_run_failed", error, self.path, self.name, on_gpu=self.on_gpu) from error
        return answers

    @property
    def closed(self) -> bool:
        return self._session is None

    def close(self) -> None:
        """Close the session. Its memory is free when a run in progress ends, even if this object is kept."""
        self._session = self._bound = self._beside = None
        # The callback refers to the object that holds this session, which only a garbage collection would free.
        self.memory.on_growth = None

    def _run(
        self, feeds: Mapping[str, Array], outputs: Sequence[str] | None, options: Any, *, beside: bool
    ) -> list[Any]:
        session: Any = self._beside if beside else self._session
        bound: BoundRun | None = self._bound
        if session is None:
            raise ModelFailed("model_unloaded", f"{self.name} has just left memory", retryable=True)
        if bound is not None:
            return bound.run(feeds, outputs, options)
        answers: list[Any] = session.run(outputs, dict(feeds), options)
        return answers


@contextmanager
def _ended_by(control: RunControl, options: Any) -> Iterator[None]:
    def end() -> None:
        options.terminate = True

    withdraw = control.on_end(end)
    try:
        yield
    finally:
        withdraw()


def _packed_sessions(path: Path, plan: ExecutionPlan, packed: PackedFiles, at_once: int) -> tuple[Any, Any] | None:
    """Return a session with all threads, and one for runs beside others if there are any, which shares its weights and
    has its share of the threads. Return None if the file cannot be packed.
    """
    mapped = packed.of(path, _options(plan.threads))
    if mapped is None:
        return None
    try:
        session = _open(mapped, plan, path.name)
        return session, _open(mapped, plan, path.name, threads=plan.threads // at_once) if at_once > 1 else None
    except ModelFailed as error:
        log.warning("packed_model_dropped", file=path.name, error=error.detail)
        packed.drop(mapped)
        return None


def _options(threads: int) -> Any:
    options = onnx_runtime().SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Threads that spin between runs starve the rest of the host.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    options.add_session_config_entry("session.set_denormal_as_zero", "1")
    # A memory plan would be kept for every input shape ever seen, and shapes vary without bound here.
    options.enable_mem_pattern = False
    # ONNX Runtime logs to the console, with names from the model. Errors arrive here as exceptions.
    options.log_severity_level = FATAL_ONLY
    return options


def _open(path: Path, plan: ExecutionPlan, name: str, *, threads: int = 0) -> Any:
    """Open the file. `threads` are those of the plan if they are not given."""
    ort = onnx_runtime()
    options = _options(threads or plan.threads)
    if plan.on_gpu and hasattr(ort, "preload_dlls"):
        ort.preload_dlls()
    try:
        # The model is loaded by path, never from bytes. External data is then looked up beside the model, not in the
        # working directory of this process, whose files a hostile model could otherwise read.
        # The option for denormal numbers also changes the thread that opens the file, which is put back.
        with denormals_flushed():
            return ort.InferenceSession(
                str(path),
                options,
                providers=[(provider.name, dict(provider.options)) for provider in plan.providers],
            )
    except Exception as error:  # ONNX Runtime's errors share no base class.
        raise _failure("model_load_failed", error, path, name, on_gpu=plan.on_gpu) from error


def _failure(code: str, error: Exception, path: Path, name: str, *, on_gpu: bool) -> ModelFailed:
    """Return the failure with this code, or one that may be tried again if other processes filled the GPU."""
    message = _told(name, error).replace(str(path), name)
    if on_gpu and gpu_was_full(str(error)):
        detail = f"{name} found too little of the GPU's memory free: {message}"
        return ModelFailed("model_memory_busy", detail, retryable=True)
    return ModelFailed(code, f"{name}: {message}")


def _told(name: str, error: Exception) -> str:
    """Return the message that callers may read. The log contains the complete message."""
    message = str(error)
    plain = plain_words(message)
    if plain != message.strip():
        log.warning("onnx_runtime_error", model=name, error=message)
    return plain


def _node_arg(arg: Any) -> NodeArg:
    return NodeArg(arg.name, arg.type, tuple(arg.shape))
