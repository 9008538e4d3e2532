"""Test that the content decides which kind of file it is."""

import pytest

from jobs.documents.reader.opening.detection import EML, HTML, OLE, PDF, PNG, TEXT, ZIP, FileType, detect, webp_size
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
        (b"PK\x03\x04....", ZIP),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....", OLE),
        (b"<!doctype html>", HTML),
        (b"\xef\xbb\xbf\n <p>", HTML),
        (b'<?xml version="1.0"?><!-- page --><html xmlns="http://www.w3.org/1999/xhtml">', HTML),
        ("<html>".encode("utf-16"), HTML),
        (b"Received: from a\r\n by b\r\nFrom: c@d.e\r\n\r\nhello", EML),
        (b"From: a@b.c\nMessage-ID: <1@b.c>\n\n", EML),
        (b"From: the board\nTo: all staff\nSubject: holidays\n\nDear all", TEXT),
        (b"\r\nReceived: from a\r\nFrom: c@d.e\r\n\r\nhello", EML),
        (b"Received: from a\nX-Long: " + b"a" * 5000, EML),
        (b"From: A <a@b.c>\nTo: d@e.f\nSubject: hi\nDate: Mon, 1 Jan 2026 10:00:00 +0000\n\nhello", EML),
        (b"From: a\r\nSubject: hi\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\nhello", EML),
        (b"Host: a.b\r\nContent-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n", TEXT),
        (b"Host: a.b\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n", TEXT),
        (b"From: a\nSubject: mail\n\nContent-Type: multipart/mixed; boundary=x\n", TEXT),
        (b"<label>Name</label>", HTML),
        (b"<!--" + b"x" * 3000 + b"--><html>", HTML),
        (b"MIME-Version: 1.0 is what it said\nand no header follows", TEXT),
    ],
)
def test_a_type_is_told_by_its_first_bytes(head: bytes, expected: FileType) -> None:
    assert detect(head) == expected


@pytest.mark.parametrize(
    "head", [b"<svg ", b"<?xml version", b"<!doctype svg>", b"\n <dc:title>", b"PK\x05\x06", b"%!PS"]
)
def test_what_only_looks_like_a_document_is_refused(head: bytes) -> None:
    with pytest.raises(Rejected) as raised:
        detect(head)
    assert raised.value.code == "unsupported_type"


def test_the_size_of_a_webp_canvas_is_read_from_its_header() -> None:
    assert webp_size(webp_header_only(16_383, 4_000)) == (16_383, 4_000)
