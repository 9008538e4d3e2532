"""Test that two inputs have the same digest only if a model cannot tell them apart."""

import numpy as np
import pytest

from inference.cache.inputs import row_digests, work_digest
from inference.core.contracts import TensorInput, TextInput, TokenInput
from inference.rpc.works import LaneWork


def test_a_text_is_the_same_alone_and_in_a_list() -> None:
    alone = row_digests(TextInput(("a",), single=True))
    assert row_digests(TextInput(("b", "a"), single=False))[1:] == alone


def test_the_order_in_which_tensors_are_sent_makes_no_difference() -> None:
    one, two = np.zeros((2, 3), np.float32), np.ones(1, np.int64)
    assert work_digest(TensorInput({"x": one, "y": two})) == work_digest(TensorInput({"y": two, "x": one}))


def tensor(values: object, dtype: str, name: str = "x") -> TensorInput:
    return TensorInput({name: np.array(values, dtype)})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (tensor([1, 2], "i4"), tensor([1, 3], "i4")),
        (tensor([1, 2], "i4"), tensor([[1, 2]], "i4")),
        (tensor([1], "i4"), tensor([1], "u4")),
        (tensor([1], "i8"), tensor([1, 0], "i4")),
        (tensor([1], "i4"), tensor([1], "i4", "y")),
        (tensor([0.0], "f4"), tensor([-0.0], "f4")),
        (tensor(["ab", "c"], "O"), tensor(["a", "bc"], "O")),
        (tensor(["a"], "O"), tensor([b"a"], "O")),
        (TextInput(("ab", "c"), single=False), TextInput(("a", "bc"), single=False)),
        (TextInput(("a",), single=False), TextInput(("a",), single=True)),
        (TokenInput(((1, 2), (3,)), single=False), TokenInput(((1,), (2, 3)), single=False)),
        (TokenInput(((1,),), single=True), TokenInput(((1, 0),), single=True)),
    ],
)
def test_what_differs_in_anything_has_another_digest(one: LaneWork, other: LaneWork) -> None:
    assert work_digest(one) != work_digest(other)
