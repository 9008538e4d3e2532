"""Tests of replies. A child that an attacker has taken over may reply with anything."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.documents.reader import DocumentLimits, DocumentRejected
from jobs.documents.reader.replies import InvalidReply, parse_inspection, parse_page, parse_picture

LIMITS = DocumentLimits(max_pages=5, max_page_pixels=10_000, max_text_chars=100, max_text_lines=3)
ARENA_BYTES = 40_000

BOX = [[0, 0], [10, 0], [10, 5], [0, 5]]
LINE: dict[str, Any] = {"text": "hello", "box": BOX}
PAGE: dict[str, Any] = {
    "width": 100,
    "height": 50,
    "lines": [LINE],
    "picture_bytes": 10,
    "picture_type": "image/png",
}
INSPECTION: dict[str, Any] = {"content_type": "application/pdf", "kind": "pdf", "page_sizes": [[595.5, 842]]}


def test_sound_replies_are_accepted() -> None:
    assert parse_inspection(INSPECTION, LIMITS).pages_total == 1
    page = parse_page(PAGE, LIMITS, ARENA_BYTES)
    assert page.lines is not None
    assert page.lines[0].box == ((0, 0), (10, 0), (10, 5), (0, 5))
    assert parse_picture({"width": 3, "height": 2}, LIMITS).pixel_bytes == 18


@pytest.mark.parametrize(
    "change",
    [
        {"width": 0},
        {"width": -1},
        {"width": True},
        {"width": "100"},
        {"width": 1e2},
        {"width": 10_001},
        {"height": 101},
        {"height": 10**30},
        {"picture_bytes": 0},
        {"scans": {}},
        {"scans": [[0, 0, 10]]},
        {"scans": [[10, 0, 0, 10]]},
        {"scans": [[0, 0, 101, 10]]},
        {"scans": [[0, 0, 10, 10]] * 501},
        {"picture_bytes": ARENA_BYTES},
        {"picture_type": "image/svg+xml"},
        {"picture_type": ["image/png"]},
        {"lines": "hello"},
        {"lines": [LINE] * 4},
        {"lines": [{"text": "x" * 101, "box": None}]},
        {"lines": [{"text": "x" * 40, "box": None}] * 3},
        {"lines": [{"text": "a\x00b", "box": None}]},
        {"lines": [{"text": "\ud800", "box": None}]},
        {"lines": [{"text": None, "box": None}]},
        {"lines": [{"text": "x", "box": BOX[:3]}]},
        {"lines": [{"text": "x", "box": [[0, 0], [101, 0], [10, 5], [0, 5]]}]},
        {"lines": [{"text": "x", "box": [[0, 0], [10, -1], [10, 5], [0, 5]]}]},
        {"lines": [{"text": "x", "box": [[0, 0], [1e400, 0], [10, 5], [0, 5]]}]},
        {"lines": [{"text": "x", "box": [[0, 0], [10**400, 0], [10, 5], [0, 5]]}]},
        {"lines": [{"text": "x", "box": [[0, 0], ["1", 0], [10, 5], [0, 5]]}]},
    ],
)
def test_a_page_that_cannot_be_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidReply):
        parse_page(PAGE | change, LIMITS, ARENA_BYTES)


@pytest.mark.parametrize(
    "change",
    [
        {"content_type": "text/html"},
        {"content_type": {}},
        {"kind": "image"},
        {"page_sizes": []},
        {"page_sizes": [[1, 1]] * 6},
        {"page_sizes": [[1]]},
        {"page_sizes": [[-1, 1]]},
    ],
)
def test_an_inspection_that_cannot_be_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidReply):
        parse_inspection(INSPECTION | change, LIMITS)


def test_a_rejection_carries_its_code() -> None:
    with pytest.raises(DocumentRejected) as raised:
        parse_page({"rejected": "document_corrupt", "detail": "Broken."}, LIMITS, ARENA_BYTES)
    assert (raised.value.code, raised.value.detail) == ("document_corrupt", "Broken.")


@pytest.mark.parametrize(
    "reply",
    [
        {"rejected": "made_up", "detail": "x"},
        {"rejected": [], "detail": "x"},
        {"rejected": "document_corrupt", "detail": "x" * 501},
        {"rejected": "document_corrupt"},
    ],
)
def test_a_rejection_that_cannot_be_is_refused(reply: dict[str, Any]) -> None:
    with pytest.raises(InvalidReply):
        parse_page(reply, LIMITS, ARENA_BYTES)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*PAGE, *INSPECTION]), inner),
    max_leaves=12,
)


@given(reply=json_values)
def test_no_answer_raises_anything_else(reply: Any) -> None:
    for parse in (
        lambda: parse_inspection(reply, LIMITS),
        lambda: parse_page(reply, LIMITS, ARENA_BYTES),
        lambda: parse_picture(reply, LIMITS),
    ):
        try:
            parse()
        except (InvalidReply, DocumentRejected):
            continue
