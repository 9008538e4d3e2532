"""The program in the sandboxed child, a top-level module that reaches nothing else: it runs a model on zeros."""

import os
import resource
import time
from collections.abc import Sequence
from typing import Any

# Both libraries start threads when they are imported, and a sandbox forks this process.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import numpy as np
import numpy.typing as npt
import onnxruntime as ort

_MAX_DETAIL_CHARACTERS = 500
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
    failed = _failure_of_all_sizes(session, tensors)
    return {"load_s": load_s, "peak_memory_bytes": _peak_memory_bytes(), "failed": failed[:_MAX_DETAIL_CHARACTERS]}


def _failure_of_all_sizes(session: ort.InferenceSession, tensors: list[dict[str, Any]]) -> str:
    """Return an empty text once the model runs, or why it does not with the smallest size."""
    first = ""
    for size in _SIZES:
        try:
            session.run(None, {tensor["name"]: _zeros(tensor, size) for tensor in tensors})
        except Exception as error:
            if size == _SIZES[0] and (isinstance(error, MemoryError) or _is_out_of_memory(error)):
                raise
            first = first or str(error) or type(error).__name__
        else:
            return ""
    return first


def _options() -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _FATAL_ONLY
    # The arena grows in powers of two, so it would be refused memory that the model does not need.
    options.enable_cpu_mem_arena = False
    options.add_session_config_entry("session.load_model_format", "ONNX")
    return options


def _zeros(tensor: dict[str, Any], size: int) -> npt.NDArray[Any]:
    """Return zeros whose free dimensions have this size. A first one among others counts rows, and is 1."""
    shape = [
        each if each >= 0 else 1 if axis == 0 and len(tensor["shape"]) > 1 else size
        for axis, each in enumerate(tensor["shape"])
    ]
    if tensor["datatype"] == "BYTES":
        return np.full(shape, "", dtype=np.object_)
    return np.zeros(shape, dtype=_DTYPES[tensor["datatype"]])


def _peak_memory_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
