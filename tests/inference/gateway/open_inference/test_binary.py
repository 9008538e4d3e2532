import struct
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from inference.core.contracts import Json, WorkRefused
from inference.gateway.open_inference.binary import read_binary, write_binary
from inference.gateway.open_inference.errors import InvalidRequest
from inference.runtime.tensor_requests import NUMPY_TYPES
from inference.runtime.tensors import datatype_of

NUMBERS = {name: dtype for name, dtype in NUMPY_TYPES.items() if name != "BYTES"}
SHAPES = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
TEXTS = arrays.arrays(object, SHAPES, elements=st.text(), fill=st.nothing())
TENSORS = st.one_of(TEXTS, *(arrays.arrays(dtype, SHAPES) for dtype in NUMBERS.values()))


@given(TENSORS, st.integers(0, 7))
def test_what_is_written_is_read_as_it_was_wherever_it_begins(tensor: npt.NDArray[Any], begins_at: int) -> None:
    buffer = memoryview(bytes(begins_at) + write_binary(tensor))[begins_at:]
    read = read_binary("x", datatype_of(tensor) or "", list(tensor.shape), buffer)
    assert (read.dtype, read.shape) == (tensor.dtype, tensor.shape)
    np.testing.assert_array_equal(read, tensor)


def test_numbers_are_little_endian_and_texts_have_their_length_before_them() -> None:
    assert write_binary(np.array([1, 258], np.uint16)) == b"\1\0\2\1"
    assert write_binary(np.array([[1, 2], [3, 4]], np.uint8).T) == b"\1\3\2\4"
    assert write_binary(np.array(["ä", "", b"\xff"], object)) == b"\2\0\0\0\xc3\xa4\0\0\0\0\1\0\0\0\xff"


def _texts(*said: tuple[int, bytes]) -> bytes:
    return b"".join(struct.pack("<I", length) + content for length, content in said)


@pytest.mark.parametrize(
    ("datatype", "shape", "buffer", "words"),
    [
        ("FP32", [2], bytes(4), r"has 4 bytes; FP32 of the shape \[2\] takes 8"),
        ("FP32", [], bytes(8), r"has 8 bytes; FP32 of the shape \[\] takes 4"),
        ("FP32", [2**40, 2**40], bytes(4), "takes 4835703278458516698824704"),
        ("FP32", [0, 2**40, 2**40], b"", "cannot have the shape"),
        ("BOOL", [2], b"\1\2", "neither 0 nor 1"),
        ("BYTES", [2**40], bytes(4), "too few for 1099511627776 values"),
        ("BYTES", [1], b"", "too few for 1 values"),
        ("BYTES", [1], _texts((2**32 - 1, b"ab")), "Value 0 of 'x' runs over"),
        ("BYTES", [2], _texts((4, b"abcd")), "Value 1 of 'x' runs over"),
        ("BYTES", [1], _texts((1, b"ab")), "1 bytes after its 1 values"),
        ("BYTES", [1], _texts((2, b"\xff\xfe")), "Value 0 of 'x' is not UTF-8"),
        ("BYTES", [0], b"abcd", "4 bytes after its 0 values"),
    ],
)
def test_bytes_that_do_not_add_up_are_refused(datatype: str, shape: list[Json], buffer: bytes, words: str) -> None:
    with pytest.raises(InvalidRequest, match=words):
        read_binary("x", datatype, shape, memoryview(buffer))


@pytest.mark.parametrize(
    ("datatype", "shape", "words"),
    [
        ("BF16", [1], "'BF16'"),
        ("fp32", [1], "'fp32'"),
        ("FP32", [-1], "has the shape"),
        ("FP32", [1.5], "has the shape"),
        ("FP32", [True], "has the shape"),
        ("FP32", ["1"], "has the shape"),
        ("FP32", [2**41], "has the shape"),
        ("FP32", [1] * 17, "has the shape"),
        ("FP32", [10**4299], "has the shape"),
    ],
)
def test_a_form_that_no_tensor_has_is_refused(datatype: str, shape: list[Json], words: str) -> None:
    with pytest.raises(WorkRefused, match=words):
        read_binary("x", datatype, shape, memoryview(bytes(4)))


@given(st.sampled_from(sorted(NUMPY_TYPES)), st.lists(st.integers(0, 3), max_size=3), st.binary(max_size=40))
def test_any_bytes_are_a_tensor_or_refused(datatype: str, shape: list[int], buffer: bytes) -> None:
    try:
        tensor = read_binary("x", datatype, list(shape), memoryview(buffer))
    except InvalidRequest:
        return
    assert list(tensor.shape) == shape
    assert write_binary(tensor) == buffer
