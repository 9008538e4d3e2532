"""The libraries in C++ and Rust, imported at their first use. A process that runs no model holds none of them."""

from functools import cache
from typing import Any


@cache
def onnx_runtime() -> Any:
    import onnxruntime  # noqa: PLC0415  # tens of megabytes

    return onnxruntime


@cache
def invalid_argument() -> type[Exception]:
    """Return the exception that ONNX Runtime raises for an input of another name, type or shape than the graph's."""
    from onnxruntime.capi import onnxruntime_pybind11_state  # noqa: PLC0415  # as above

    error: type[Exception] = onnxruntime_pybind11_state.InvalidArgument
    return error


@cache
def onnx_package() -> Any:
    """Return the package that reads the format without running it, for files that were never seen before."""
    import onnx  # noqa: PLC0415  # as above
    import onnx.helper  # noqa: PLC0415
    import onnx.numpy_helper  # noqa: PLC0415

    return onnx


def read_tokenizer(path: str) -> Any:
    from tokenizers import Tokenizer  # noqa: PLC0415  # as above

    return Tokenizer.from_file(path)
