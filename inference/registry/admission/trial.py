"""A trial that runs an admitted model once, in a sandboxed child, before anything uses it."""

import signal
import sysconfig
from collections.abc import Set
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from inference.core.calls import Call
from inference.registry.admission.errors import ModelRefused
from inference.registry.admission.limits import TrialLimits
from inference.registry.admission.shown_shapes import Correction, Run, corrected, corrections
from inference.registry.admission.signature import Signature, TensorSpec
from inference.registry.admission.tensors import MAX_RANK
from inference.runtime.error_texts import plain_words
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
from inference.sandbox.inside.channel import Json
from inference.sandbox.isolation import find_bubblewrap

_LIBRARIES = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
_PROGRAM = Program(
    folder=Path(__file__).with_name("inside"),
    module="trial_program",
    libraries=tuple(Path(path) for path in sorted(_LIBRARIES)),
)
_MAX_REPLY_BYTES = 1024 * 1024
_NICE = 10
"""The nice value of a trial. Calls come first, however many files are tried."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    signature: Signature
    """The signature with the shapes of outputs that the runs had, where the file declares others."""
    load_s: float
    peak_memory_bytes: int
    """The memory of the whole child, including Python and ONNX Runtime."""
    failed: str = ""
    """The error of the run, if the model loads but runs on none of the made inputs. Others may suit it: a sampling
    rate, for example, has few values, which no file declares.
    """
    corrections: tuple[Correction, ...] = ()


def trial_run(
    path: Path,
    signature: Signature,
    *,
    limits: TrialLimits | None = None,
    use_bubblewrap: bool = True,
    needs: Set[str] = frozenset(),
    call: Call | None = None,
) -> TrialResult:
    """Load the model, and run it on zeros or ones and on other rows. A canceled call ends the trial.

    Raises ModelRefused, SandboxUnavailable without all `needs`, and CallCanceled.
    """
    limits = limits or TrialLimits()
    request = {"tensors": [_tensor(spec) for spec in signature.inputs]}
    try:
        reply = _ask(path, request, limits, find_bubblewrap() if use_bubblewrap else None, needs=needs, call=call)
    except ChildTimedOut as error:
        raise ModelRefused("model_timeout", f"The trial took more than {limits.wall_s:g} s.") from error
    except ChildOutOfMemory as error:
        raise ModelRefused("model_out_of_memory", "The model needs more memory than allowed.") from error
    except ChildDied as error:
        raise _refusal_by_exit(error.exit_status, limits) from error
    except ChildMisbehaved as error:
        raise ModelRefused("model_crashed", "The trial ended without an answer.") from error
    return _verdict(reply, signature)


def _ask(
    path: Path, request: Json, limits: TrialLimits, bubblewrap: Path | None, *, needs: Set[str], call: Call | None
) -> Json:
    child_limits = ChildLimits(
        memory_bytes=limits.address_space_bytes,
        file_bytes=0,
        reply_bytes=_MAX_REPLY_BYTES,
    )
    with TemporaryDirectory(prefix="trial-") as empty_folder, path.open("rb") as model:
        child = Child(_PROGRAM, child_limits, bubblewrap, Path(empty_folder), needs, nice=_NICE)
        try:
            return child.ask(request, [model.fileno()], RequestLimits(limits.wall_s, limits.cpu_s), call)
        finally:
            child.kill()


def _tensor(spec: TensorSpec) -> Json:
    return {"name": spec.name, "datatype": spec.datatype, "shape": list(spec.shape or ())}


def _verdict(reply: Json, signature: Signature) -> TrialResult:
    """Read the child's reply, which may come from a model that has taken over the child."""
    match reply:
        case {
            "done": {
                "load_s": float(load_s),
                "peak_memory_bytes": int(peak),
                "failed": str(failed),
                "runs": list(said),
            }
        } if _are_runs(said, len(signature.outputs)):
            runs: list[Run] = [tuple(tuple(shape) for shape in run) for run in said]
            found = corrections(signature, runs) if runs else ()
            return TrialResult(corrected(signature, found), load_s, peak, plain_words(failed), found)
        case {"refused": {"code": "model_out_of_memory" | "model_invalid" as code, "detail": str(detail)}}:
            raise ModelRefused(code, plain_words(detail) or "ONNX Runtime cannot run it.")
    raise ModelRefused("model_crashed", "The trial returned an invalid answer.")


def _are_runs(said: list[Json], outputs: int) -> bool:
    return all(isinstance(run, list) and len(run) == outputs for run in said) and all(
        isinstance(shape, list) and len(shape) <= MAX_RANK and all(type(size) is int and size >= 0 for size in shape)
        for shape in chain.from_iterable(said)
    )


def _refusal_by_exit(exit_status: int, limits: TrialLimits) -> ModelRefused:
    if exit_status == -signal.SIGXCPU:
        return ModelRefused("model_timeout", f"The trial took more than {limits.cpu_s} s of CPU time.")
    if exit_status == -signal.SIGKILL:
        # This program sends no such signal before an answer is due, so the machine ran out of memory.
        return ModelRefused("model_out_of_memory", "The trial ran out of memory.")
    return ModelRefused("model_crashed", f"ONNX Runtime ended with status {exit_status} in the trial.")
