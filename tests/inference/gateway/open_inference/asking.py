"""Provide the inputs and plug-ins with which the published client sends requests."""

from typing import Any

import numpy as np
import numpy.typing as npt
import tritonclient.http as triton
from tritonclient._plugin import InferenceServerClientPlugin
from tritonclient._request import Request
from tritonclient.utils import np_to_triton_dtype

Array = npt.NDArray[Any]


class WithKey(InferenceServerClientPlugin):  # type: ignore[misc]
    """The client's own way to authenticate all its calls at once."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, request: Request) -> None:
        request.headers["Authorization"] = f"Bearer {self._key}"


def given(name: str, tensor: Array, *, binary: bool = True) -> triton.InferInput:
    one = triton.InferInput(name, list(tensor.shape), np_to_triton_dtype(tensor.dtype))
    return one.set_data_from_numpy(tensor, binary_data=binary)


def rows(count: int = 2, floats: int = 4) -> Array:
    return np.arange(count * floats, dtype=np.float32).reshape(count, floats)


def texts(*values: str) -> Array:
    return np.array(values, object)
