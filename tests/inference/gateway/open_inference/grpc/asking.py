"""Provide the inputs with which the published client sends requests."""

import tritonclient.grpc as triton
from tritonclient.utils import np_to_triton_dtype

from tests.inference.gateway.open_inference.asking import Array


def given(name: str, tensor: Array) -> triton.InferInput:
    one = triton.InferInput(name, list(tensor.shape), np_to_triton_dtype(tensor.dtype))
    return one.set_data_from_numpy(tensor)
