"""Runs a transformation in a sandboxed child, because the graph may come from a tenant."""

import hashlib
import os
import signal
import sysconfig
import threading
from collections.abc import Iterator, Sequence, Set
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from inference.core.calls import Call, own_call
from inference.core.contracts import Json
from inference.core.errors import CallCanceled
from inference.factory.transforms.calibration import Feeds, digest_of, in_memory
from inference.factory.transforms.errors import TransformRefused
from inference.factory.transforms.limits import TransformLimits
from inference.factory.transforms.options import Options, parameters_of
from inference.factory.transforms.transformed import Lineage, Transformed
from inference.sandbox import (
    ChildDied,
    ChildLimits,
    ChildMisbehaved,
    ChildOutOfMemory,
    ChildTimedOut,
    Program,
    RequestLimits,
)
from inference.sandbox.child import Child
from inference.sandbox.isolation import find_bubblewrap
from tenants.core.own_folder import folder_for_children
from tenants.core.progress import SILENT, Progress

_LIBRARIES = tuple(Path(path) for path in sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}))
_MAX_REPLY_BYTES = 1 << 20
_START_S = 60.0
"""The seconds in which a child must have imported its tools, on a busy machine."""
_LOOK_EVERY_S = 0.5
_LOOKS_PER_REPORT = 10
"""The looks from one report about a child to the next, because it says nothing of itself before its reply."""
_NICE = 10


def transform(
    source: Path,
    options: Options,
    *,
    into: Path,
    samples: Sequence[Feeds] = (),
    limits: TransformLimits | None = None,
    call: Call | None = None,
    use_bubblewrap: bool = True,
    needs: Set[str] = frozenset(),
    progress: Progress = SILENT,
) -> Transformed:
    """Write a variant of the source to `into`, by a child of low priority, and report every few seconds.

    Raises TransformRefused with the reason, SandboxUnavailable without all layers of `needs`, and CallCanceled. The
    file is as little to be trusted as its source: it must be admitted and measured before it is used.
    """
    if options.calibrates and not samples:
        raise TransformRefused("calibration_missing", f"{options.name} needs calibration samples; give some inputs")
    run = _Run(options, limits or TransformLimits(), find_bubblewrap() if use_bubblewrap else None, needs, progress)
    partial = into.with_name(f"{into.name}.partial")
    try:
        with _opened(source, partial, samples) as files:
            reply = run.ask(files, call or Call())
        lineage = _lineage(source, options, samples, reply)
        partial.replace(into)
    finally:
        partial.unlink(missing_ok=True)
    return Transformed(into, _digest(into), into.stat().st_size, options.precision, lineage)


@contextmanager
def _opened(source: Path, partial: Path, samples: Sequence[Feeds]) -> Iterator[list[int]]:
    """Yield the descriptors that the child gets: the model, the file to write, and the samples if there are any."""
    with ExitStack() as opened:
        files = [opened.enter_context(source.open("rb")).fileno(), opened.enter_context(partial.open("wb")).fileno()]
        if samples:
            files.append(opened.enter_context(in_memory(samples)))
        yield files


@dataclass(frozen=True, slots=True)
class _Run:
    """A transformation in a child of its own."""

    options: Options
    limits: TransformLimits
    bubblewrap: Path | None
    needs: Set[str]
    progress: Progress

    def ask(self, files: Sequence[int], call: Call) -> Json:
        """Return the child's reply. A refusal says whether it was out of time, memory or space."""
        try:
            with TemporaryDirectory(dir=folder_for_children(), prefix="transform-") as workspace:
                return self._ask_in(Path(workspace), files, call)
        except ChildTimedOut as error:
            raise TransformRefused("transformation_timeout", f"it took more than {self.limits.wall_s:g} s") from error
        except ChildOutOfMemory as error:
            raise TransformRefused("model_out_of_memory", "it needs more memory than allowed") from error
        except ChildDied as error:
            raise _refusal_by_exit(error.exit_status, self.limits) from error
        except ChildMisbehaved as error:
            raise TransformRefused("transformation_crashed", "it ended without an answer") from error

    def _ask_in(self, workspace: Path, files: Sequence[int], call: Call) -> Json:
        child = Child(
            self._program, self._child_limits, self.bubblewrap, workspace, self.needs, may_write=True, nice=_NICE
        )
        try:
            limit = self.limits.workspace_bytes
            with own_call(call) as own, _watched(workspace, limit, self.progress, own) as over:
                bound = RequestLimits(self.limits.wall_s, self.limits.cpu_s)
                return child.ask({"parameters": parameters_of(self.options)}, files, bound, own)
        except CallCanceled:
            if not over.is_set():
                raise
            detail = f"the tools wrote more than {self.limits.workspace_bytes} bytes"
            raise TransformRefused("workspace_full", detail) from None
        finally:
            child.kill()

    @property
    def _program(self) -> Program:
        module = f"rewriting.{self.options.name.replace('-', '_')}"
        return Program(folder=Path(__file__).parent, module=module, libraries=_LIBRARIES)

    @property
    def _child_limits(self) -> ChildLimits:
        return ChildLimits(
            memory_bytes=self.limits.address_space_bytes,
            file_bytes=self.limits.output_bytes,
            open_files=64,
            reply_bytes=_MAX_REPLY_BYTES,
            start_s=_START_S,
        )


def _refusal_by_exit(exit_status: int, limits: TransformLimits) -> TransformRefused:
    if exit_status == -signal.SIGXCPU:
        return TransformRefused("transformation_timeout", f"it took more than {limits.cpu_s} s of processor time")
    if exit_status == -signal.SIGKILL:
        # This program sends no such signal before an answer is due, so the machine ran out of memory.
        return TransformRefused("model_out_of_memory", "the machine ran out of memory")
    return TransformRefused("transformation_crashed", f"the tools ended with status {exit_status}")


@contextmanager
def _watched(workspace: Path, max_bytes: int, progress: Progress, call: Call) -> Iterator[threading.Event]:
    """Report how long it takes, and cancel the call when the files in the workspace take too much space, because no
    limit of the kernel adds them.
    """
    over, ended = threading.Event(), threading.Event()

    def watch() -> None:
        looks = 0
        while not ended.wait(_LOOK_EVERY_S):
            looks += 1
            if looks % _LOOKS_PER_REPORT == 0:
                progress.stage(f"{looks * _LOOK_EVERY_S:g} s")
            if _bytes_in(workspace) > max_bytes:
                over.set()
                call.cancel()
                return

    watcher = threading.Thread(target=watch, name="transform-workspace", daemon=True)
    watcher.start()
    try:
        yield over
    finally:
        ended.set()
        watcher.join()


def _bytes_in(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            # The child may delete a file at any moment.
            with suppress(OSError):
                total += os.lstat(os.path.join(parent, name)).st_blocks * 512
    return total


def _lineage(source: Path, options: Options, samples: Sequence[Feeds], reply: Json) -> Lineage:
    """Read the child's reply, which may come from a model that has taken over the child."""
    match reply:
        case {"done": {"notes": dict(notes), "tools": dict(tools)}} if all(isinstance(v, str) for v in tools.values()):
            return Lineage(
                source_digest=_digest(source),
                transformation=options.name,
                parameters=parameters_of(options),
                calibration_digest=digest_of(samples) if options.calibrates else None,
                tools=tools,
                notes=notes,
            )
        case {"refused": {"code": str(code), "detail": str(detail)}} if code in _CODES:
            raise TransformRefused(code, detail)
    raise TransformRefused("transformation_crashed", "it gave an invalid answer")


_CODES = frozenset({
    "calibration_missing", "calibration_not_finite", "error_over_bound", "model_invalid", "model_out_of_memory",
    "nothing_to_fuse", "nothing_to_quantize", "signature_changed", "transformation_failed",
})  # fmt: skip
"""The reasons that a child gives."""


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
