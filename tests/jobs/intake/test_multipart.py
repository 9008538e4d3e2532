"""Tests of forms that arrive whole or in pieces, and are good or bad."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.intake.multipart import Form, FormLimits, FormReader, boundary_of
from tenants.core.errors import DomainError

FILE = 'Content-Disposition: form-data; name="file"; filename="a.pdf"\r\nContent-Type: application/pdf'
MODEL = 'Content-Disposition: form-data; name="model"'
LIMITS = FormLimits(file_bytes=10_000, fields=3, field_bytes=100)


def form(*parts: tuple[str, bytes], end: bytes = b"--b--\r\n") -> bytes:
    return b"".join(b"--b\r\n" + head.encode() + b"\r\n\r\n" + body + b"\r\n" for head, body in parts) + end


@dataclass
class Read:
    content: bytearray = field(default_factory=bytearray)

    def all(self, pieces: Sequence[bytes], limits: FormLimits = LIMITS) -> Form:
        reader = FormReader(b"b", limits, self.content.extend)
        for piece in pieces:
            reader.write(piece)
        return reader.finish()


@given(content=st.binary(max_size=500), cuts=st.lists(st.integers(0, 800), max_size=20))
def test_however_the_bytes_are_cut_the_file_is_the_same(content: bytes, cuts: list[int]) -> None:
    body = form((MODEL, b"parse"), (FILE, content))
    places = sorted({min(cut, len(body)) for cut in cuts} | {0, len(body)})
    read = Read()
    found = read.all([body[start:end] for start, end in pairwise(places)])
    assert found == Form("a.pdf", "application/pdf", {"model": "parse"})
    assert bytes(read.content) == content


def test_a_file_that_contains_almost_boundaries_arrives_unchanged() -> None:
    content = b"\r\n--\r\n--c\r\n\r--b\n--b--" * 50
    read = Read()
    read.all([form((FILE, content))])
    assert bytes(read.content) == content


def test_an_empty_file_is_a_file() -> None:
    assert Read().all([form((FILE, b""))]).filename == "a.pdf"


def test_names_and_texts_are_utf8() -> None:
    head = 'Content-Disposition: form-data; name="file"; filename="räksmörgås.pdf"'
    found = Read().all([form((MODEL, "ü".encode()), (head, b"x"))])
    assert (found.filename, found.fields) == ("räksmörgås.pdf", {"model": "ü"})


def _named(name: str, *, filename: str | None = None) -> str:
    rest = f'; filename="{filename}"' if filename is not None else ""
    return f'Content-Disposition: form-data; name="{name}"{rest}'


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (b"", "invalid_request", "closing boundary"),
        (b"this is no form", "invalid_request", "Invalid multipart form"),
        (form((FILE, b"x"), end=b""), "invalid_request", "closing boundary"),
        (form((FILE, b"x")).replace(b"--b--", b"--c--"), "invalid_request", "closing boundary"),
        (form((FILE, b"x")).replace(b"--b\r\n", b"--c\r\n", 1), "invalid_request", "Invalid multipart form"),
        (form((MODEL, b"x")), "invalid_request", "has no file; it has the fields 'model'"),
        (form((FILE, b"x"), (FILE, b"y")), "invalid_request", "more than one file"),
        (form((_named("upload", filename="a"), b"x")), "invalid_request", "is in the field 'upload'"),
        (form((_named("file"), b"scan.pdf")), "invalid_request", "Is the @ missing?"),
        (form((MODEL, b"x"), (MODEL, b"y"), (FILE, b"")), "invalid_request", "Duplicate"),
        (form((_named(""), b"x"), (FILE, b"")), "invalid_request", "unnamed form field"),
        (form(("X: y", b"x"), (FILE, b"")), "invalid_request", "unnamed form field"),
        (
            form(*((_named(str(n)), b"") for n in range(4)), (FILE, b"")),
            "invalid_request",
            "more than 3 fields",
        ),
        (form((MODEL, b"x" * 101), (FILE, b"")), "invalid_request", "'model' is longer than 100 bytes"),
        (form((MODEL, b"\xff"), (FILE, b"")), "invalid_request", "'model' is not UTF-8"),
        (form((FILE + "\r\nX: " + "y" * 9000, b"")), "invalid_request", "Invalid multipart form"),
        (form((FILE, b"x" * 10_001)), "document_too_large", "larger than 10000 bytes"),
    ],
)
def test_a_bad_form_is_refused_in_exact_words(body: bytes, code: str, words: str) -> None:
    with pytest.raises(DomainError) as refused:
        Read().all([body])
    assert refused.value.code == code
    assert words in refused.value.detail


def test_a_boundary_that_is_missing_or_too_long_is_refused() -> None:
    for boundary in (b"", b"b" * 1000):
        with pytest.raises(DomainError, match="boundary"):
            FormReader(boundary, LIMITS, bytearray().extend)


@pytest.mark.parametrize(
    ("content_type", "boundary"),
    [
        ("multipart/form-data; boundary=b", b"b"),
        ('Multipart/Form-Data; charset=utf-8; boundary="b c"', b"b c"),
        ("multipart/form-data", b""),
        ("application/json", None),
        ("", None),
        ("multipart/mixed; boundary=b", None),
    ],
)
def test_the_boundary_is_read_from_the_content_type(content_type: str, boundary: bytes | None) -> None:
    assert boundary_of(content_type) == boundary


def test_whoever_is_refused_by_the_fields_before_the_file_sends_it_in_vain() -> None:
    def refuse(fields: Mapping[str, str]) -> None:
        raise DomainError(f"no {fields['model']} today", code="queue_too_long")

    kept = bytearray()
    reader = FormReader(b"b", LIMITS, kept.extend)
    reader.before_file = refuse
    with pytest.raises(DomainError, match="no parse today"):
        reader.write(form((MODEL, b"parse"), (FILE, b"never read")))
    assert not kept
