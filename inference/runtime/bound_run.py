"""A run on a GPU with its tensors bound to the memory that the graph wants: a single copy in and a single copy out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inference.core.contracts import WorkRefused
from inference.runtime.native import onnx_runtime
from inference.runtime.tensors import DATATYPES, Array, NodeArg, tensor_spec
from tenants.core.messages import names_in_words

GPU = "cuda"
HOST = "cpu"


class BoundRun:
    """The bound runs of a session. Any number of threads may use it, each with its own tensors."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._specs = {
            arg.name: tensor_spec(NodeArg(arg.name, arg.type, tuple(arg.shape)))
            for arg in session.get_inputs()
            if arg.type in DATATYPES
        }
        self._inputs = {
            arg.name: _place(memory)
            for arg, memory in zip(session.get_inputs(), session.get_input_memory_infos(), strict=True)
        }
        self._outputs = {
            arg.name: _place(memory)
            for arg, memory in zip(session.get_outputs(), session.get_output_memory_infos(), strict=True)
        }

    def run(self, feeds: Mapping[str, Array], outputs: Sequence[str] | None, options: Any) -> list[Any]:
        self._check(feeds)
        names = list(outputs or self._outputs)
        binding = self._session.io_binding()
        for name, feed in feeds.items():
            # The binding uses the address of the numbers and not their strides.
            tensor = np.require(feed, requirements="C")
            if self._inputs[name] == HOST:
                binding.bind_cpu_input(name, tensor)
            else:
                value = onnx_runtime().OrtValue.ortvalue_from_numpy(tensor, self._inputs[name], 0)
                binding.bind_ortvalue_input(name, value)
        for name in names:
            binding.bind_output(name, self._outputs[name])
        binding.synchronize_inputs()
        self._session.run_with_iobinding(binding, options)
        binding.synchronize_outputs()
        answers: list[Any] = binding.copy_outputs_to_cpu()
        return answers

    def _check(self, feeds: Mapping[str, Array]) -> None:
        """Raise ValueError if the inputs do not fit. All errors of a bound run itself have the same class."""
        if set(feeds) != set(self._inputs):
            raise ValueError(f"inputs are {names_in_words(sorted(self._inputs))}, not {names_in_words(sorted(feeds))}")
        try:
            for name, spec in self._specs.items():
                spec.check(feeds[name])
        except WorkRefused as error:
            raise ValueError(error.detail) from error


def can_be_bound(session: Any) -> bool:
    """Return whether the session can be bound. ONNX Runtime does not bind text."""
    return all(arg.type != "tensor(string)" for arg in (*session.get_inputs(), *session.get_outputs()))


def _place(memory: Any) -> str:
    """Return the memory for a tensor. A tensor for a node on the CPU, such as a shape, stays there."""
    return GPU if memory.name == "Cuda" else HOST
