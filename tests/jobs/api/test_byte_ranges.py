"""Tests of the byte ranges that a request may ask for."""

import pytest

from jobs.api.byte_ranges import ByteRange, Unsatisfiable, byte_range


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("bytes=0-0", (0, 0)),
        ("bytes=0-9", (0, 9)),
        ("bytes=2-", (2, 9)),
        ("bytes=2-400", (2, 9)),
        ("bytes=-3", (7, 9)),
        ("bytes=-30", (0, 9)),
        ("Bytes = 1-2", (1, 2)),
    ],
)
def test_a_range_is_cut_to_the_file(header: str, expected: tuple[int, int]) -> None:
    assert byte_range(header, 10) == ByteRange(*expected)


@pytest.mark.parametrize(
    "header",
    [None, "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-2", "bytes=0-1,4-5", "pages=1-2", "bytes=٣-٤",
     "bytes=1-2-3", f"bytes=0-{'9' * 400}"],
)  # fmt: skip
def test_a_header_that_is_no_single_range_has_no_effect(header: str | None) -> None:
    assert byte_range(header, 10) is None


@pytest.mark.parametrize(("header", "size"), [("bytes=10-", 10), ("bytes=10-12", 10), ("bytes=-0", 9), ("bytes=-1", 0)])
def test_a_range_without_a_byte_of_the_file_is_refused(header: str, size: int) -> None:
    with pytest.raises(Unsatisfiable):
        byte_range(header, size)
