"""Test that each hostile document gets a response, and that this process continues unharmed."""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
from PIL import Image

from inference.sandbox import ChildTimedOut
from inference.sandbox.isolation import find_bubblewrap
from jobs.documents.reader import DocumentLimits, DocumentReader, DocumentRejected, ReaderUnavailable
from tests.samples.disguises import DISGUISED
from tests.samples.heic import heic
from tests.samples.images import (
    encoded,
    png_blank,
    png_header_only,
    tiff_looping,
    tiff_pages,
    webp_header_only,
)
from tests.samples.pdfs import (
    deflate_bomb_pdf,
    encrypted_pdf,
    laughing_pdf,
    many_pages_pdf,
    no_pages_pdf,
    object_stream_bomb_pdf,
    picture_bomb_pdf,
    text_pdf,
)
from tests.waiting import eventually

from .conftest import LIMITS, Store

_MEMORY_SLACK_BYTES = 150 << 20


def _noise() -> Image.Image:
    return Image.effect_noise((300, 300), 50).convert("RGB")


def _wide_avif(side: int) -> bytes:
    """Return an AVIF picture that says that it has this width and height."""
    content = encoded(_noise(), "AVIF")
    at = content.index(b"ispe") + 8
    return content[:at] + side.to_bytes(4, "big") * 2 + content[at + 8 :]


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty file": (lambda: b"", "document_empty"),
    "blank text": (lambda: b" \n\n\t ", "document_empty"),
    "PDF without pages": (no_pages_pdf, "document_empty"),
    "PDF with a password": (encrypted_pdf, "document_encrypted"),
    "PDF cut in half": (lambda: text_pdf("x" * 50)[:300], "document_corrupt"),
    "PDF of chance bytes": (lambda: b"%PDF-1.7\n" + bytes(range(256)) * 20, "document_corrupt"),
    "PDF header alone": (lambda: b"%PDF-1.7", "document_corrupt"),
    "PDF of 200,000 pages": (lambda: many_pages_pdf(200_000), "too_many_pages"),
    "PDF page of 200,000 points": (lambda: text_pdf("x", size=(200_000, 200_000)), "page_too_large"),
    "PDF page of one long side": (lambda: text_pdf("x", size=(200_000, 1)), "page_too_large"),
    "PNG of 50,000 x 50,000": (lambda: png_header_only(50_000, 50_000), "image_too_large"),
    "PNG of 65,500 x 65,500": (lambda: png_header_only(65_500, 65_500), "image_too_large"),
    "PNG of 2^31 x 2^31": (lambda: png_header_only(2**31 - 1, 2**31 - 1), "image_too_large"),
    "PNG of 13,000 x 13,000, 1 bit": (lambda: png_blank(13_000, 13_000), "image_too_large"),
    "WebP canvas of 16,383 x 16,383": (lambda: webp_header_only(16_383, 16_383), "image_too_large"),
    "WebP header alone": (lambda: b"RIFF\x00\x00\x00\x00WEBP", "document_corrupt"),
    "PNG cut in half": (lambda: encoded(_noise(), "PNG")[:5000], "document_corrupt"),
    "JPEG cut in half": (lambda: encoded(_noise(), "JPEG")[:5000], "document_corrupt"),
    "TIFF cut in half": (lambda: encoded(_noise(), "TIFF")[:5000], "document_corrupt"),
    "TIFF without its last strip": (lambda: tiff_pages([_noise(), _noise()])[:-5000], "document_corrupt"),
    "WebP cut in half": (lambda: encoded(_noise(), "WEBP")[:5000], "document_corrupt"),
    "AVIF cut in half": (lambda: encoded(_noise(), "AVIF")[:5000], "document_corrupt"),
    "AVIF start alone": (lambda: b"\0\0\0\x14ftypavif\0\0\0\0avif", "document_corrupt"),
    "AVIF of zeros": (lambda: b"\0\0\0\x20ftypavif" + bytes(40), "document_corrupt"),
    "AVIF of 60,000 x 60,000": (lambda: _wide_avif(60_000), "document_corrupt"),
    "HEIC cut in half": (lambda: heic(4, 4)[:700], "document_corrupt"),
    "HEIC start alone": (lambda: b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "document_corrupt"),
    "HEIC of 15,360 x 15,360": (lambda: heic(20, 20, size=(15_360, 15_360)), "image_too_large"),
    "HEIC with a tile of 60,000 x 60,000": (lambda: heic(2, 2, coded=(60_000, 60_000)), "document_corrupt"),
    "HEIC of another codec": (lambda: heic(kind=b"av01"), "unsupported_type"),
    "MP4": (lambda: b"\0\0\0\x18ftypisom\0\0\2\0isommp41", "unsupported_type"),
    "JPEG start alone": (lambda: b"\xff\xd8\xff", "document_corrupt"),
    "TIFF start alone": (lambda: b"II*\x00\x08\x00\x00\x00", "document_corrupt"),
    "text of too many characters": (lambda: b"word " * 500_000, "document_too_large"),
    "text of too many lines": (lambda: b"a\n" * 200_000, "document_too_large"),
    "text of too many bytes": (lambda: b"x" * 9_000_000, "document_too_large"),
    **{f"disguised {name}": (partial(bytes, data), "unsupported_type") for name, data in DISGUISED.items()},
}


@pytest.fixture(autouse=True)
def unharmed(request: pytest.FixtureRequest, store: Store) -> Iterator[None]:
    """Check that this process has no more memory and files than before, and that the reader still reads."""
    name = "walled_reader" if "walled_reader" in request.fixturenames else "reader"
    reader: DocumentReader = request.getfixturevalue(name)
    process = psutil.Process()
    memory, descriptors = process.memory_info().rss, process.num_fds()
    yield
    path = store(text_pdf("still reading after that", size=(300, 100)))
    page = reader.read_page(path, reader.inspect(path).kind, 1)
    assert page.text_lines is not None
    assert page.text_lines[0].text == "still reading after that"
    assert process.memory_info().rss < memory + _MEMORY_SLACK_BYTES
    # A child that is being replaced, or one that another test left to end, has some files open for a moment.
    eventually(lambda: process.num_fds() <= descriptors + 1, "no file left open")


def rejection_of(reader: DocumentReader, data: bytes, store: Store) -> DocumentRejected:
    with pytest.raises(DocumentRejected) as raised:
        reader.inspect(store(data))
    return raised.value


def outcome(reader: DocumentReader, path: Path) -> str:
    try:
        reader.read_page(path, "pdf", 1)
    except DocumentRejected as rejected:
        return rejected.code
    return "read"


@pytest.mark.parametrize("name", HOSTILE)
def test_inspection_refuses_it_with_its_code(walled_reader: DocumentReader, store: Store, name: str) -> None:
    make, code = HOSTILE[name]
    assert walled_reader.wait_until_warm(20)
    before = walled_reader.child_pids()
    rejection = rejection_of(walled_reader, make(), store)
    assert rejection.code == code
    assert rejection.detail.rstrip().endswith(".")
    assert walled_reader.child_pids() == before, "a refusal leaves the child alive"


@pytest.mark.parametrize("use_bubblewrap", [True, False])
def test_a_page_that_takes_too_long_is_too_complex(store: Store, use_bubblewrap: bool) -> None:
    if use_bubblewrap and find_bubblewrap() is None:
        pytest.skip("bubblewrap is not installed or may not make namespaces")
    data = laughing_pdf()
    assert len(data) < 4000
    path = store(data)
    hasty = DocumentReader(replace(LIMITS, max_wall_s=0.2), children=1, use_bubblewrap=use_bubblewrap)
    try:
        assert hasty.inspect(path).pages_total == 1
        with pytest.raises(DocumentRejected) as raised:
            hasty.read_page(path, "pdf", 1)
        assert raised.value.code == "document_too_complex"
        assert isinstance(raised.value.__cause__, ChildTimedOut)
    finally:
        hasty.close()


@pytest.mark.parametrize("make", [picture_bomb_pdf, partial(deflate_bomb_pdf, 150)])
def test_a_bomb_inside_a_page_ends_within_the_limits(
    walled_reader: DocumentReader, store: Store, make: Callable[[], bytes]
) -> None:
    assert outcome(walled_reader, store(make())) in {"read", "document_too_complex"}


def test_two_kilobytes_that_unpack_to_all_memory_are_too_complex_to_inspect(store: Store) -> None:
    data = object_stream_bomb_pdf(225)
    assert len(data) < 4000
    reader = DocumentReader(DocumentLimits(max_inspect_memory_bytes=256 << 20), children=1)
    try:
        assert rejection_of(reader, data, store).code == "document_too_complex"
    finally:
        reader.close()


def test_an_inspection_has_limits_of_its_own(store: Store) -> None:
    hasty = DocumentReader(replace(LIMITS, max_inspect_wall_s=0.1), children=1)
    try:
        rejection = rejection_of(hasty, object_stream_bomb_pdf(300), store)
        assert isinstance(rejection.__cause__, ChildTimedOut)
        assert "0.1 s" in rejection.detail
    finally:
        hasty.close()


def test_a_large_document_has_longer_but_not_for_ever(store: Store) -> None:
    limits = replace(LIMITS, max_bytes=1 << 30, max_inspect_wall_s=0.1, max_inspect_more_s=0)
    hasty = DocumentReader(limits, children=1)
    path = store(text_pdf("without its end"))
    with path.open("r+b") as file:
        file.truncate(256 << 20)
    try:
        with pytest.raises(DocumentRejected, match=r"more than 0\.1 s") as rejected:
            hasty.inspect(path)
        assert rejected.value.code == "document_too_complex"
    finally:
        hasty.close()


def test_the_longest_allowed_document_is_inspected(walled_reader: DocumentReader, store: Store) -> None:
    assert walled_reader.inspect(store(text_pdf(*["one of many"] * 2000))).pages_total == 2000


def test_a_laughing_pdf_that_runs_out_of_memory_first_is_too_complex(store: Store) -> None:
    limits = replace(LIMITS, max_wall_s=60, max_memory_bytes=256 << 20, max_page_pixels=1_000_000)
    tight = DocumentReader(limits, children=1)
    try:
        with pytest.raises(DocumentRejected) as raised:
            tight.read_page(store(laughing_pdf()), "pdf", 1)
        assert raised.value.code == "document_too_complex"
    finally:
        tight.close()


def test_a_tiff_that_leads_back_to_its_start_ends(walled_reader: DocumentReader, store: Store) -> None:
    assert walled_reader.inspect(store(tiff_looping())).pages_total == 1


def test_a_tiff_of_too_many_pages_is_refused(store: Store) -> None:
    few = DocumentReader(replace(LIMITS, max_pages=3), children=1)
    try:
        data = tiff_pages([Image.new("L", (8, 8))] * 4)
        assert rejection_of(few, data, store).code == "too_many_pages"
    finally:
        few.close()


def test_a_second_frame_of_a_tiff_over_the_limit_is_refused(walled_reader: DocumentReader, store: Store) -> None:
    frames = [Image.new("1", (8, 8)), Image.new("1", (5000, 5000))]
    data = encoded(frames[0], "TIFF", save_all=True, append_images=frames[1:], compression="group4")
    assert rejection_of(walled_reader, data, store).code == "image_too_large"


def test_a_file_over_the_limit_on_bytes_is_refused_unread(store: Store) -> None:
    small = DocumentReader(replace(LIMITS, max_bytes=1000), children=1)
    try:
        assert rejection_of(small, b"x" * 1001, store).code == "document_too_large"
    finally:
        small.close()


def test_what_no_child_was_free_for_is_not_the_documents_fault(store: Store) -> None:
    none = DocumentReader(LIMITS, children=0, wait_s=0.02, inspect_wait_s=0.01)
    try:
        with pytest.raises(ReaderUnavailable, match=r"0\.01 s"):
            none.inspect(store(b"x" * 100_000))
        with pytest.raises(ReaderUnavailable, match=r"0\.02 s"):
            none.read_page(store(b"x" * 100_000), "text", 1)
    finally:
        none.close()


def test_only_a_regular_file_is_opened(walled_reader: DocumentReader, store: Store) -> None:
    pipe = store(b"").with_name("pipe")
    os.mkfifo(pipe)
    with pytest.raises(ValueError, match="regular file"):
        walled_reader.inspect(pipe)
