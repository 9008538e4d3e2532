"""Test that the content decides which kind of file it is."""

import pytest

from jobs.documents.reader.opening.detection import PDF, PNG, TEXT, FileType, detect, webp_size
from jobs.documents.reader.opening.limits import Rejected
from tests.samples.images import webp_header_only


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"%PDF-1.4\n", PDF),
        (b"some mail header\n\n%PDF-1.4\n", PDF),
        (b"\x89PNG\r\n\x1a\n....", PNG),
        (b"hello", TEXT),
        (b"a < b and c > d", TEXT),
        (b"<- see above", TEXT),
        (b"<3 you all", TEXT),
        ("grüße".encode("utf-16"), TEXT),
    ],
)
def test_a_type_is_told_by_its_first_bytes(head: bytes, expected: FileType) -> None:
    assert detect(head) == expected


@pytest.mark.parametrize("head", [b"<svg ", b"<?xml version", b"<!doctype html>", b"\n <p>", b"PK\x03\x04", b"%!PS"])
def test_what_only_looks_like_a_document_is_refused(head: bytes) -> None:
    with pytest.raises(Rejected) as raised:
        detect(head)
    assert raised.value.code == "unsupported_type"


def test_the_size_of_a_webp_canvas_is_read_from_its_header() -> None:
    assert webp_size(webp_header_only(16_383, 4_000)) == (16_383, 4_000)
