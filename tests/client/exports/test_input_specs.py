"""Test the inputs that a person declares."""

import pytest

from maas_client.exports.input_specs import SIZES, InputSpec, drawn


def test_the_same_word_is_the_same_size_in_each_case() -> None:
    specs = [InputSpec.parsed("ids=int64[batch,seq]:50"), InputSpec.parsed("x=float32[batch,3,seq]")]
    cases = [drawn(specs, case) for case in range(len(SIZES))]
    assert [(case["ids"].shape, case["x"].shape) for case in cases] == [
        ((2, 8), (2, 3, 8)),
        ((1, 5), (1, 3, 5)),
        ((3, 16), (3, 3, 16)),
    ]
    assert all(case["ids"].min() >= 0 and case["ids"].max() < 50 for case in cases)
    assert [spec.dynamic() for spec in specs] == [(0, 1), (0, 2)]


def test_the_same_case_has_the_same_values() -> None:
    specs = [InputSpec.parsed("x=float32[rows,4]")]
    assert (drawn(specs, 1)["x"] == drawn(specs, 1)["x"]).all()
    assert drawn([InputSpec.parsed("t=float32[]")], 0)["t"].shape == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x", "is no input such as"),
        ("x=float32", "is no input such as"),
        ("x=float8[2]", "'float8' is none of the types"),
    ],
)
def test_what_is_no_declaration_is_refused_with_an_example(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        InputSpec.parsed(text)
