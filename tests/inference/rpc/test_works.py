from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from inference.core.contracts import TensorInput, TextInput, TokenInput, WorkRefused
from inference.rpc.arrays import read_array
from inference.rpc.errors import MessageMalformed
from inference.rpc.frames import pack, unpack
from inference.rpc.works import cost_of, read_work, write_work
from inference.runtime.tensor_requests import NUMPY_TYPES
from inference.runtime.tensors import DATATYPES

NUMBERS = [dtype for dtype in NUMPY_TYPES.values() if dtype.kind != "O"]


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.sampled_from(NUMBERS).flatmap(lambda dtype: npst.arrays(dtype, npst.array_shapes(min_dims=0, min_side=0))),
        max_size=3,
    ),
    st.binary(max_size=7),
)
def test_tensors_of_every_number_type_come_back_bit_by_bit(tensors: dict[str, np.ndarray], before: bytes) -> None:
    written = write_work(TensorInput(tensors), {"k": [1, None]})
    # The bytes are read at any offset in the message around them.
    read, parameters = read_work(memoryview(before + written)[len(before) :])
    assert isinstance(read, TensorInput)
    assert parameters == {"k": [1, None]}
    assert list(read.tensors) == sorted(tensors)
    for name, tensor in tensors.items():
        assert read.tensors[name].dtype == tensor.dtype
        assert read.tensors[name].shape == tensor.shape
        assert read.tensors[name].tobytes() == tensor.tobytes()
        assert read.tensors[name].flags.aligned


def test_every_datatype_of_the_protocol_is_carried() -> None:
    for datatype in DATATYPES.values():
        value = np.array(["x"], object) if datatype == "BYTES" else np.ones(1, NUMPY_TYPES[datatype])
        read, _parameters = read_work(write_work(TensorInput({"x": value}), {}))
        assert isinstance(read, TensorInput)
        assert (read.tensors["x"] == value).all()


@given(npst.arrays(object, npst.array_shapes(min_side=0), elements=st.text() | st.just("\ud800")))
def test_texts_in_tensors_come_back_even_those_that_are_not_unicode(array: np.ndarray) -> None:
    read, _parameters = read_work(write_work(TensorInput({"x": array}), {}))
    assert isinstance(read, TensorInput)
    assert read.tensors["x"].tolist() == array.tolist()


def test_bytes_in_tensors_stay_bytes() -> None:
    read, _parameters = read_work(write_work(TensorInput({"x": np.array([b"\xff\x00", b""], object)}), {}))
    assert isinstance(read, TensorInput)
    assert read.tensors["x"].tolist() == [b"\xff\x00", b""]


def test_big_endian_and_strided_tensors_keep_their_values() -> None:
    array = np.arange(12, dtype=">i4").reshape(3, 4)[:, ::2]
    read, _parameters = read_work(write_work(TensorInput({"x": array}), {}))
    assert isinstance(read, TensorInput)
    assert read.tensors["x"].tolist() == array.tolist()


def test_an_array_that_no_protocol_carries_is_refused_to_its_caller() -> None:
    with pytest.raises(WorkRefused, match="complex128"):
        write_work(TensorInput({"x": np.ones(1, complex)}), {})
    with pytest.raises(WorkRefused, match="all text or all bytes"):
        write_work(TensorInput({"x": np.array(["a", 7], object)}), {})


@given(st.lists(st.text() | st.just("\udfff")), st.booleans())
def test_texts_come_back(texts: list[str], single: bool) -> None:
    assert read_work(write_work(TextInput(tuple(texts), single), {}))[0] == TextInput(tuple(texts), single)


@given(st.lists(st.lists(st.integers(0, 2**31 - 1)).map(tuple)).map(tuple), st.booleans())
def test_tokens_come_back(rows: tuple[tuple[int, ...], ...], single: bool) -> None:
    assert read_work(write_work(TokenInput(rows, single), {}))[0] == TokenInput(rows, single)


@pytest.mark.parametrize("counts", [[1], [3], [-1, 3], [True, True], ["2"], [2**62, 2**62]])
def test_tokens_that_are_not_as_many_as_their_message_says_are_malformed(counts: list[object]) -> None:
    header = {"token_counts": counts, "single": False, "parameters": {}}
    with pytest.raises(MessageMalformed):
        read_work(pack(header, [np.array([7, 8], "<i4").tobytes()]))


WHOLE = write_work(TensorInput({"x": np.arange(6.0), "s": np.array(["ab", ""], object)}), {"p": 1})


@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
def test_a_damaged_message_is_malformed_or_means_something_but_never_crashes(at: int, byte: int) -> None:
    damaged = WHOLE[:at] + bytes([byte]) + WHOLE[at + 1 :]
    for message in (damaged, WHOLE[:at]):
        with suppress(MessageMalformed):
            read_work(message)


@given(st.binary(max_size=200))
def test_bytes_that_are_no_message_are_malformed(noise: bytes) -> None:
    with pytest.raises(MessageMalformed):
        read_work(noise)


@pytest.mark.parametrize(
    "said",
    [
        ["x", "FP32", [2**40, 2**40]],
        ["x", "FP32", [0, 2**62, 2**62]],
        ["x", "STR", [2**60]],
        ["x", "STR", [1]],
        ["x", "FP32", [-1]],
        ["x", "FP32", [True]],
        ["x", "FP32", [1] * 100],
        ["x", "COMPLEX", [1]],
        ["x", "BOOL", [4]],
        "nothing",
    ],
)
def test_a_tensor_that_claims_more_than_arrived_is_malformed(said: object) -> None:
    with pytest.raises(MessageMalformed):
        read_array(said, memoryview(b"\xff\xff\xff\xff"))


def test_a_message_of_another_version_says_so() -> None:
    with pytest.raises(MessageMalformed, match="version 2"):
        unpack(b"\x02" + pack({})[1:])


@given(st.integers(1, 50))
def test_more_work_costs_more(times: int) -> None:
    assert cost_of(TextInput(("word " * 100 * times,), True)) < cost_of(TextInput(("word " * 200 * times,), True))
    assert cost_of(TokenInput(((1,) * 100 * times,), True)) < cost_of(TokenInput(((1,) * 200 * times,), True))
    assert cost_of(TensorInput({"x": np.ones(0)})) == 1


def test_calls_of_one_shape_and_so_of_one_header_have_their_own_values() -> None:
    given = [TensorInput({"x": np.full((2, 3), number, np.float32)}) for number in range(3)]
    read = [read_work(write_work(work, {"p": 1})) for work in given]
    for work, (found, parameters) in zip(given, read, strict=True):
        assert isinstance(found, TensorInput)
        np.testing.assert_array_equal(found.tensors["x"], work.tensors["x"])
        assert parameters == {"p": 1}


def test_a_message_shorter_than_the_last_of_the_same_header_is_malformed() -> None:
    whole = write_work(TensorInput({"x": np.ones(4, np.float32)}), {})
    read_work(whole)
    with pytest.raises(MessageMalformed):
        read_work(whole[:-4])


@pytest.mark.parametrize("name", ["x", "x" * 5000])
def test_tensors_are_read_whatever_the_order_and_length_of_the_header(name: str) -> None:
    values = np.arange(4, dtype=np.float32)
    header = {"parameters": {}, "tensors": [[name, "FP32", [4]]]}
    read, _parameters = read_work(pack(header, [values.tobytes()]))
    assert isinstance(read, TensorInput)
    np.testing.assert_array_equal(read.tensors[name], values)
