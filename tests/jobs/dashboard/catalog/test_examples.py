"""Test that example tensors fit the signature from which they are made."""

import pytest

from inference.core.contracts import TensorInput
from inference.runtime.tensor_requests import read_tensors, validate_input
from jobs.dashboard.catalog.examples import MAX_VALUES, example_tensors

SHAPES: tuple[list[int], ...] = ([], [4], [-1, 4], [-1, -1, 3], [2, 0])


@pytest.mark.parametrize("datatype", ["BOOL", "BYTES", "FP16", "FP32", "FP64", "INT8", "INT64", "UINT8"])
def test_an_example_is_taken_as_it_is(datatype: str) -> None:
    signature = {
        "inputs": [{"name": f"x{place}", "datatype": datatype, "shape": shape} for place, shape in enumerate(SHAPES)]
    }
    tensors = example_tensors(signature)
    assert tensors is not None
    validate_input(signature, TensorInput(tensors=read_tensors(tensors)))


def test_tensors_too_large_to_read_are_not_written_out() -> None:
    one = {"name": "x", "datatype": "FP32", "shape": [MAX_VALUES + 1]}
    assert example_tensors({"inputs": [one]}) is None
