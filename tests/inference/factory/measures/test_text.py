import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.factory.measures.text import Reading, edit_distance, measure_texts

SHORT = st.text("abcé😀", max_size=8)


def plain_distance(one: str, other: str) -> int:
    if not one or not other:
        return max(len(one), len(other))
    return min(
        plain_distance(one[1:], other[1:]) + (one[0] != other[0]),
        plain_distance(one[1:], other) + 1,
        plain_distance(one, other[1:]) + 1,
    )


@given(st.text("ab", max_size=5), st.text("ab", max_size=5))
def test_the_distance_is_that_of_its_definition(one: str, other: str) -> None:
    assert edit_distance(one, other) == plain_distance(one, other)


@given(SHORT, SHORT, SHORT)
def test_the_distance_is_a_metric(one: str, other: str, third: str) -> None:
    assert (edit_distance(one, other) == 0) == (one == other)
    assert edit_distance(one, other) == edit_distance(other, one)
    assert edit_distance(one, third) <= edit_distance(one, other) + edit_distance(other, third)


def test_errors_against_the_truth_are_those_that_the_variant_adds() -> None:
    truth = [Reading("invoice 42", {"total": "42"})]
    reference = [Reading("invoice 4Z", {"total": "42"})]
    variant = [Reading("invo1ce 4Z", {"total": "43"}, sample="page 1")]
    found = {measure.name: measure.value for measure in measure_texts(reference, variant, truth)}
    assert found == pytest.approx(
        {
            "character_error_rate": 0.1,
            "field_error_rate": 1.0,
            "character_errors_added": 0.1,
            "field_errors_added": 1.0,
        }
    )
