"""One model file opened in ONNX Runtime."""

import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import onnxruntime as ort
from onnxruntime.capi import onnxruntime_pybind11_state as ort_errors

from inference.runtime.errors import ModelFailed
from inference.runtime.providers import ExecutionPlan
from inference.runtime.run_limit import RunTookTooLong, run_limit
from inference.runtime.tensors import Array, NodeArg

FATAL_ONLY = 4
RUN_LIMIT_S = 30.0
"""A batch of the dearest built-in model takes a few seconds on two cores."""


class InvalidFeed(Exception):
    """ONNX Runtime refused an input's name, type or shape."""


class HostedSession:
    """Safe to share between threads."""

    def __init__(self, path: Path, plan: ExecutionPlan) -> None:
        self.path = path
        self.weight_bytes = weight_bytes(path)
        started_s = time.monotonic()
        self._session = _open(path, plan)
        self.load_s = time.monotonic() - started_s
        self.provider: str = self._session.get_providers()[0]
        self.inputs = tuple(_node_arg(arg) for arg in self._session.get_inputs())
        self.outputs = tuple(_node_arg(arg) for arg in self._session.get_outputs())
        self.metadata: Mapping[str, str] = self._session.get_modelmeta().custom_metadata_map
        # A run on the CPU already uses every core: more at once would only multiply the memory in use.
        self._runs = threading.Semaphore(2 if plan.on_gpu else 1)

    def run(self, feeds: Mapping[str, Array], outputs: Sequence[str] | None = None) -> list[Any]:
        try:
            with self._runs, run_limit.of(RUN_LIMIT_S) as options:
                answers: list[Any] = self._session.run(outputs, dict(feeds), options)
        except RunTookTooLong as error:
            raise ModelFailed("model_timeout", f"{self.path.name} ran {error} and was ended") from error
        except (ort_errors.InvalidArgument, ValueError) as error:
            raise InvalidFeed(str(error)) from error
        except Exception as error:  # ONNX Runtime's errors share no base class.
            raise ModelFailed("model_run_failed", f"{self.path.name}: {error}") from error
        return answers


def weight_bytes(path: Path) -> int:
    """Size of the file and of the weights stored beside it (`model.onnx.data`, `model.onnx_data`)."""
    try:
        beside = [file for file in path.parent.iterdir() if file.name.startswith(path.name)]
        return sum(file.stat().st_size for file in beside if file.is_file()) or path.stat().st_size
    except OSError as error:
        raise ModelFailed(
            "model_artifact_missing", f"{path.name} cannot be read: {error.strerror}"
        ) from error


def _open(path: Path, plan: ExecutionPlan) -> Any:
    options = ort.SessionOptions()
    options.intra_op_num_threads = plan.threads
    options.inter_op_num_threads = 1
    # Threads that spin between runs starve the rest of the host.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    # A memory plan would be kept for every input shape ever seen; shapes vary without bound here.
    options.enable_mem_pattern = False
    # Its own lines go straight to the console, with names out of the model; errors reach us as exceptions.
    options.log_severity_level = FATAL_ONLY
    if plan.on_gpu and hasattr(ort, "preload_dlls"):
        ort.preload_dlls()
    try:
        # By path, never from bytes: external data is then looked up beside the model, not in the
        # working directory of this process, whose files a hostile model could otherwise read.
        return ort.InferenceSession(
            str(path),
            options,
            providers=[(provider.name, dict(provider.options)) for provider in plan.providers],
        )
    except Exception as error:  # ONNX Runtime's errors share no base class.
        raise ModelFailed("model_load_failed", f"{path.name}: {error}") from error


def _node_arg(arg: Any) -> NodeArg:
    return NodeArg(arg.name, arg.type, tuple(arg.shape))
