import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.uploads.layout import MAX_PARTS, MAX_URLS, PART_BYTES, Layout, part_bytes_of
from tenants.core.errors import InvalidRequest

LEAST = 5 * 2**20
"""The smallest part in bytes that S3 accepts. Only the last part may be smaller."""


@given(st.integers(1, 5 * 2**40))
def test_any_file_is_cut_into_parts_that_the_storage_takes(size_bytes: int) -> None:
    layout = Layout(size_bytes, part_bytes_of(size_bytes))
    assert 1 <= layout.count <= MAX_PARTS
    assert LEAST <= layout.part_bytes <= 5 * 2**30
    assert 1 <= layout.bytes_of(layout.count) <= layout.part_bytes
    assert (layout.count - 1) * layout.part_bytes + layout.bytes_of(layout.count) == size_bytes


def test_five_gibibytes_are_320_parts() -> None:
    assert Layout(5 * 2**30, part_bytes_of(5 * 2**30)).count == 320


def test_a_part_of_another_size_is_missing() -> None:
    layout = Layout(2 * PART_BYTES + 1, PART_BYTES)
    assert layout.missing({}) == [1, 2, 3]
    assert layout.missing({1: PART_BYTES, 2: PART_BYTES - 1, 3: 2, 4: 1}) == [2, 3]
    assert layout.missing({1: PART_BYTES, 2: PART_BYTES, 3: 1}) == []


@pytest.mark.parametrize(
    "numbers", [None, [], "1", [0], [4], [-1], [1.0], [True], ["1"], list(range(1, MAX_URLS + 2))]
)
def test_what_are_no_parts_of_it_is_refused(numbers: object) -> None:
    with pytest.raises(InvalidRequest):
        Layout(2 * PART_BYTES + 1, PART_BYTES).wanted(numbers)


def test_a_part_is_named_once() -> None:
    assert Layout(2 * PART_BYTES + 1, PART_BYTES).wanted([3, 1, 3]) == [3, 1]
