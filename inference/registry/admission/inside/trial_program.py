"""The program in the sandboxed child, a top-level module that reaches nothing else: it runs a model on made inputs."""

import os
import resource
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import product
from typing import Any

# Both libraries start threads when they are imported, and a sandbox forks this process.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import numpy as np
import numpy.typing as npt
import onnxruntime as ort

_MAX_DETAIL_CHARACTERS = 4000
"""The most characters of an error. Some begin with a C++ signature of two thousand, which is removed outside."""
_FATAL_ONLY = 4
_DTYPES: dict[str, npt.DTypeLike] = {
    "BOOL": np.bool_,
    "FP16": np.float16,
    "FP32": np.float32,
    "FP64": np.float64,
    "INT8": np.int8,
    "INT16": np.int16,
    "INT32": np.int32,
    "INT64": np.int64,
    "UINT8": np.uint8,
    "UINT16": np.uint16,
    "UINT32": np.uint32,
    "UINT64": np.uint64,
}
# ONNX Runtime has no error type or code for a failed allocation.
_OUT_OF_MEMORY_MARKS = ("Failed to allocate memory", "bad_alloc", "bad allocation")
_SIZES = (1, 8, 64, 512)
"""The sizes that free dimensions get by turns, until the model runs. Many models refuse inputs that are too short."""
_VALUES = (0, 1)
"""The values that fill the inputs of each size, by turns. Some models know no zero."""
_MORE_ROWS = 3
_MAX_FIRST_RUN_S = 5.0
"""The time of a run after which no other one is made, because it would take several times as long."""

Feeds = dict[str, npt.NDArray[Any]]
Shapes = list[list[int]]
"""The shapes of all outputs of a run."""
RowAxes = dict[str, set[int]]
"""The axes of each input that count rows."""


def handle(request: dict[str, Any], files: Sequence[int]) -> dict[str, Any]:
    """Try the open model file on the tensors of the request, by name, datatype and shape."""
    try:
        return {"done": _try_model(files[0], request["tensors"])}
    except MemoryError:
        return _refused("model_out_of_memory", "The model needs more memory than allowed.")
    except Exception as error:  # ONNX Runtime's errors have no ancestor of their own.
        return _refused("model_out_of_memory" if _is_out_of_memory(error) else "model_invalid", str(error))


def _is_out_of_memory(error: Exception) -> bool:
    return any(mark in str(error) for mark in _OUT_OF_MEMORY_MARKS)


def _refused(code: str, detail: str) -> dict[str, Any]:
    return {"refused": {"code": code, "detail": detail[:_MAX_DETAIL_CHARACTERS]}}


def _try_model(model_fd: int, tensors: list[dict[str, Any]]) -> dict[str, Any]:
    with open(model_fd, "rb", closefd=False) as file:
        model = file.read()
    started = time.monotonic()
    session = ort.InferenceSession(model, _options(), providers=["CPUExecutionProvider"])
    load_s = time.monotonic() - started
    axes = _row_axes(session)
    failed, size, shapes, first_s = _first_run(session, tensors, axes)
    peak = _peak_memory_bytes()
    runs = [] if shapes is None else [shapes]
    if runs and first_s <= _MAX_FIRST_RUN_S:
        runs += _other_run(session, tensors, axes, size)
    return {"load_s": load_s, "peak_memory_bytes": peak, "failed": failed[:_MAX_DETAIL_CHARACTERS], "runs": runs}


def _row_axes(session: ort.InferenceSession) -> RowAxes:
    """Return the axes that count rows: a first one among others, and those with the name of such a one anywhere."""
    shapes = {tensor.name: tensor.shape for tensor in session.get_inputs()}
    names = {shape[0] for shape in shapes.values() if len(shape) > 1 and isinstance(shape[0], str)}
    return {
        name: {axis for axis, size in enumerate(shape) if size in names or (axis == 0 and len(shape) > 1)}
        for name, shape in shapes.items()
    }


def _first_run(
    session: ort.InferenceSession, tensors: list[dict[str, Any]], axes: RowAxes
) -> tuple[str, int, Shapes | None, float]:
    """Return the size with which the model runs, the shapes of its outputs and the seconds, or why it runs with none:
    the error of the smallest size.
    """
    first = ""
    for size, value in product(_SIZES, _VALUES):
        started = time.monotonic()
        try:
            shapes = _shapes_of(session, _feeds(tensors, axes, 1, size, value))
        except Exception as error:
            if not first and (isinstance(error, MemoryError) or _is_out_of_memory(error)):
                raise
            first = first or str(error) or type(error).__name__
        else:
            return "", size, shapes, time.monotonic() - started
    return first, 0, None, 0.0


def _other_run(session: ort.InferenceSession, tensors: list[dict[str, Any]], axes: RowAxes, size: int) -> list[Shapes]:
    """Return the shapes of outputs for more rows, if the model takes them: of other size and other values if it can."""
    larger = _MORE_ROWS if size == 1 else 2 * size
    for tried, value in ((larger, 1), (larger, 0), (size, 1), (size, 0)):
        with suppress(Exception):  # ONNX Runtime's errors have no ancestor of their own.
            return [_shapes_of(session, _feeds(tensors, axes, _MORE_ROWS, tried, value))]
    return []


def _shapes_of(session: ort.InferenceSession, feeds: Feeds) -> Shapes:
    return [list(answer.shape) for answer in session.run(None, feeds)]


def _options() -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _FATAL_ONLY
    # The arena grows in powers of two, so it would be refused memory that the model does not need.
    options.enable_cpu_mem_arena = False
    options.add_session_config_entry("session.load_model_format", "ONNX")
    return options


def _feeds(tensors: list[dict[str, Any]], axes: RowAxes, rows: int, size: int, value: int) -> Feeds:
    return {each["name"]: _filled(each, axes[each["name"]], rows, size, value) for each in tensors}


def _filled(tensor: dict[str, Any], row_axes: set[int], rows: int, size: int, value: int) -> npt.NDArray[Any]:
    """Return a tensor whose free dimensions have this size, or count rows."""
    shape = [each if each >= 0 else rows if axis in row_axes else size for axis, each in enumerate(tensor["shape"])]
    if tensor["datatype"] == "BYTES":
        return np.full(shape, "a" * value, dtype=np.object_)
    return np.full(shape, value, dtype=_DTYPES[tensor["datatype"]])


def _peak_memory_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
