"""The life of a host: load a model, then run it until the connection ends. All that it says may come from the model."""

import ctypes
import json
import os
from collections.abc import Sequence
from typing import Any, Protocol

# Both libraries start threads when they are imported, and a sandbox forks this process.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import numpy as np
import onnxruntime as ort
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument

from .denormals import denormals_flushed, library
from .transfer import (
    Described,
    Layout,
    TensorsTooLarge,
    layout_of,
    put,
    read_descriptions,
    take,
    write_descriptions,
)
from .values import Array

Json = Any

_MAX_DETAIL_CHARACTERS = 500
_FATAL_ONLY = 4
_CPU = ["CPUExecutionProvider"]
# ONNX Runtime has no error type or code for a failed allocation.
_OUT_OF_MEMORY_MARKS = ("Failed to allocate memory", "bad_alloc", "bad allocation")
_KEPT_BLOCK_BYTES = 4 << 20
"""The largest block that the allocator keeps, as in the worker."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_MAX_METADATA = 4096
"""The most characters of metadata that are passed on. Each may take several bytes of the message."""
_MAX_KNOWN = 64
"""The number of layouts that are remembered, as in the parent."""
_MAX_REQUEST_BYTES = 1 << 40
"""The limit of what the parent sends, which the parent bounds itself."""

# No file can be opened later.
library()
_c_library = ctypes.CDLL(None)


class Packets(Protocol):
    """The connection, as the sandbox passes it."""

    def receive(self) -> bytes: ...

    def receive_with_files(self) -> tuple[Json, list[int]]: ...

    def send(self, packet: bytes) -> None: ...


def serve(packets: Packets) -> None:
    """Load the model of the first message, and answer the others."""
    request, (model, requests, answers) = packets.receive_with_files()
    _keep_no_large_blocks()
    try:
        session = _load(model, request["threads"])
        packets.send(_encoded({"loaded": _declared(session)}))
    except Exception as error:  # ONNX Runtime's errors have no ancestor of their own.
        packets.send(_encoded(_failure(error)))
        return
    runner = _Runner(session, requests, answers)
    with denormals_flushed():
        while True:
            packets.send(runner.run(packets.receive()))


def _load(model: int, threads: int) -> ort.InferenceSession:
    with open(model, "rb") as file:
        return ort.InferenceSession(file.read(), _options(threads), providers=_CPU)


def _options(threads: int) -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = _FATAL_ONLY
    # The arena would keep the memory of the largest run, and grows in powers of two up to the limit of the process.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    for name, value in (
        ("session.load_model_format", "ONNX"),
        ("session.set_denormal_as_zero", "1"),
        ("session.intra_op.allow_spinning", "0"),
        ("session.inter_op.allow_spinning", "0"),
    ):
        options.add_session_config_entry(name, value)
    return options


def _declared(session: ort.InferenceSession) -> Json:
    return {
        "inputs": [[arg.name, arg.type, list(arg.shape)] for arg in session.get_inputs()],
        "outputs": [[arg.name, arg.type, list(arg.shape)] for arg in session.get_outputs()],
        "metadata": _fitting(session.get_modelmeta().custom_metadata_map),
    }


def _fitting(metadata: dict[str, str]) -> dict[str, str]:
    """Return the metadata if it fits into a message, or nothing."""
    return metadata if sum(len(key) + len(text) for key, text in metadata.items()) <= _MAX_METADATA else {}


class _Request:
    """A request, which is the same for all runs with the same layout of inputs."""

    def __init__(self, packet: bytes) -> None:
        request = json.loads(packet)
        self.names: list[str] = request["names"]
        self.tensors = read_descriptions(request["tensors"], _MAX_REQUEST_BYTES)
        self.outputs: list[str] | None = request["outputs"]
        self.max_bytes: int = request["max_bytes"]


class _Runner:
    """The runs of a session."""

    def __init__(self, session: ort.InferenceSession, requests: int, answers: int) -> None:
        self._session = session
        self._requests = requests
        self._answers = answers
        self._known_requests: dict[bytes, _Request] = {}
        self._known_answers: dict[Any, bytes] = {}

    def run(self, packet: bytes) -> bytes:
        """Return the answer to a request."""
        try:
            request = self._known_requests.get(packet) or self._new_request(packet)
            feeds = dict(zip(request.names, take(self._requests, request.tensors), strict=True))
            outputs = _outputs(self._session.run(request.outputs, feeds))
            described = put(self._answers, outputs, request.max_bytes)
            layout = layout_of(outputs)
            return self._known_answers.get(layout) or self._new_answer(layout, described)
        except TensorsTooLarge as error:
            return _encoded({"error": "model_output_too_large", "detail": f"its outputs have {error}"})
        except Exception as error:  # As above.
            return _encoded(_failure(error))

    def _new_request(self, packet: bytes) -> _Request:
        if len(self._known_requests) >= _MAX_KNOWN:
            self._known_requests.clear()
        request = self._known_requests[packet] = _Request(packet)
        return request

    def _new_answer(self, layout: Layout | None, described: Sequence[Described]) -> bytes:
        answer = _encoded({"answers": write_descriptions(described)})
        if layout is not None:
            if len(self._known_answers) >= _MAX_KNOWN:
                self._known_answers.clear()
            self._known_answers[layout] = answer
        return answer


def _encoded(body: Json) -> bytes:
    return json.dumps(body).encode("utf-8", "surrogatepass")


def _outputs(outputs: Sequence[Any]) -> list[Array]:
    for output in outputs:
        if not isinstance(output, np.ndarray):
            raise TypeError(f"an output is a {type(output).__name__}, not a tensor")
    return list(outputs)


def _failure(error: Exception) -> Json:
    detail = str(error)[:_MAX_DETAIL_CHARACTERS]
    if isinstance(error, MemoryError) or any(mark in detail for mark in _OUT_OF_MEMORY_MARKS):
        code = "model_out_of_memory"
    elif isinstance(error, TypeError):
        code = "model_output_invalid"
    elif isinstance(error, InvalidArgument | ValueError):
        code = "invalid_tensor"
    else:
        code = "model_run_failed"
    return {"error": code, "detail": detail}


def _keep_no_large_blocks() -> None:
    if hasattr(_c_library, "mallinfo2"):
        _c_library.mallopt(_MMAP_THRESHOLD, _KEPT_BLOCK_BYTES)
        _c_library.mallopt(_TRIM_THRESHOLD, 2 * _KEPT_BLOCK_BYTES)
