"""Reads the request of a transformation and writes the rewritten model, whichever transformation it is."""

import encodings.cp437  # noqa: F401  # The names in an npz file need it, and nothing can be imported later.
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime as ort
from onnx import GraphProto, ModelProto, TensorProto

_MAX_DETAIL_CHARACTERS = 500
_OUT_OF_MEMORY_MARKS = ("Failed to allocate memory", "bad_alloc", "bad allocation")
"""ONNX Runtime has no error type or code for a failed allocation."""

Feeds = dict[str, npt.NDArray[Any]]


class Refused(Exception):
    """The graph does not suit the transformation, or its result would not suit the caller."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


@dataclass(frozen=True, slots=True)
class Source:
    """The input of a transformation."""

    model: ModelProto
    parameters: Mapping[str, Any]
    samples: Sequence[Feeds] = ()


@dataclass(frozen=True, slots=True)
class Rewritten:
    model: ModelProto
    notes: Mapping[str, Any] = field(default_factory=dict)
    tools: Mapping[str, str] = field(default_factory=dict)
    """The versions of further libraries."""


Rewrite = Callable[[Source], Rewritten]
Handler = Callable[[dict[str, Any], Sequence[int]], dict[str, Any]]


def served(rewrite: Rewrite) -> Handler:
    """Return the handler of a program. Its files are the model, the file to write, and the samples if there are any."""

    def handle(request: dict[str, Any], files: Sequence[int]) -> dict[str, Any]:
        # The tools write files beside each other. The working folder is the only one where they may.
        tempfile.tempdir = os.getcwd()
        try:
            return {"done": _rewritten(rewrite, request["parameters"], files)}
        except Refused as refusal:
            return _refusal(refusal.code, str(refusal))
        except MemoryError:
            return _refusal("model_out_of_memory", "the transformation needs more memory than allowed")
        except Exception as error:  # The tools' errors have no common ancestor.
            out_of_memory = any(mark in str(error) for mark in _OUT_OF_MEMORY_MARKS)
            code = "model_out_of_memory" if out_of_memory else "transformation_failed"
            return _refusal(code, f"{type(error).__name__}: {error}")

    return handle


def _refusal(code: str, detail: str) -> dict[str, Any]:
    return {"refused": {"code": code, "detail": detail[:_MAX_DETAIL_CHARACTERS]}}


def _rewritten(rewrite: Rewrite, parameters: Mapping[str, Any], files: Sequence[int]) -> dict[str, Any]:
    model = _read_model(files[0])
    before = _face(model)
    metadata = list(model.metadata_props)
    result = rewrite(Source(model, parameters, _read_samples(files[2]) if len(files) > 2 else ()))
    if _face(result.model) != before:
        raise Refused("signature_changed", "the rewritten graph has other inputs or outputs than its source")
    # Some tools drop these, and some runtimes need them: a recognizer lists its characters here.
    del result.model.metadata_props[:]
    result.model.metadata_props.extend(metadata)
    with open(files[1], "wb", closefd=False) as file:
        file.write(result.model.SerializeToString(deterministic=True))
    tools = {"onnx": onnx.__version__, "onnxruntime": ort.__version__, **result.tools}
    return {"notes": dict(result.notes), "tools": tools}


def _read_model(descriptor: int) -> ModelProto:
    with open(descriptor, "rb", closefd=False) as file:
        content = file.read()
    try:
        model = onnx.load_model_from_string(content)
    except Exception as error:
        raise Refused("model_invalid", f"the file is not an ONNX model: {error}") from error
    if any(tensor.data_location == TensorProto.EXTERNAL for tensor in _tensors(model.graph)):
        raise Refused("model_invalid", "some weights lie in another file; put them into the model's own file")
    return model


def _tensors(graph: GraphProto) -> Iterator[TensorProto]:
    """Yield the weights and constants of a graph and of those inside it."""
    yield from graph.initializer
    for attribute in (attribute for node in graph.node for attribute in node.attribute):
        yield from (attribute.t, *attribute.tensors)
        for inner in (attribute.g, *attribute.graphs):
            yield from _tensors(inner)


def _read_samples(descriptor: int) -> Sequence[Feeds]:
    samples: dict[int, Feeds] = {}
    with open(descriptor, "rb", closefd=False) as file, np.load(file, allow_pickle=False) as arrays:
        for key in arrays.files:
            number, _, name = key.partition(":")
            samples.setdefault(int(number), {})[name] = arrays[key]
    return [samples[number] for number in sorted(samples)]


def _face(model: ModelProto) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Return the names and types of the inputs and outputs that callers see."""
    weights = {weight.name for weight in model.graph.initializer}
    inputs, outputs = (
        [(value.name, value.type.tensor_type.elem_type) for value in values if value.name not in weights]
        for values in (model.graph.input, model.graph.output)
    )
    return inputs, outputs


def session(model: ModelProto, level: ort.GraphOptimizationLevel | None = None, **more: Any) -> ort.InferenceSession:
    """Open a session of one thread, because the sandbox allows no others."""
    options = quiet_options(level)
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"], **more)


def quiet_options(level: ort.GraphOptimizationLevel | None = None) -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.graph_optimization_level = level or ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.enable_cpu_mem_arena = False
    return options
