"""Tests of good documents of each kind, which are read to the end."""

import io
from contextlib import closing

import numpy as np
import pytest
from PIL import Image

from jobs.documents.reader import (
    SHORT_TEXT_BYTES,
    DocumentReader,
    DocumentRejected,
    Inspection,
    PageContent,
    PageSize,
)
from tests.samples.heic import TILE, heic, rotation
from tests.samples.images import drawn_page, encoded, tiff_pages, turned
from tests.samples.pdfs import (
    form_pdf,
    one_broken_page_pdf,
    private_use_pdf,
    scan_with_stamp,
    scanned_pdf,
    text_pdf,
)

from .conftest import LIMITS, Store

LETTER = "Dear Ada,\nthe engine weaves algebraic patterns.\nYours, Charles"


def read(reader: DocumentReader, path_bytes: bytes, store: Store, number: int = 1) -> PageContent:
    path = store(path_bytes)
    kind = reader.inspect(path).kind
    return reader.read_page(path, kind, number, drawn=kind != "text")


def texts(page: PageContent) -> list[str]:
    assert page.text_lines is not None
    return [line.text for line in page.text_lines]


def ink_box(page: PageContent) -> tuple[int, int, int, int]:
    """Return the bounds of the dark pixels: left, top, right, bottom."""
    assert page.pixels is not None
    rows, columns = np.nonzero(page.pixels.min(axis=2) < 128)
    return int(columns.min()), int(rows.min()), int(columns.max()), int(rows.max())


def test_a_scanned_pdf_has_pictures_and_no_text(walled_reader: DocumentReader, store: Store) -> None:
    path = store(scanned_pdf("one", "two", "three"))
    inspection = walled_reader.inspect(path)
    assert (inspection.content_type, inspection.kind, inspection.pages_total) == ("application/pdf", "pdf", 3)
    for number in (1, 2, 3):
        page = walled_reader.read_page(path, inspection.kind, number)
        assert page.text_lines is None
        assert page.picture_content_type == "image/jpeg"
        assert page.pixels is not None
        assert page.pixels.shape == (page.height_px, page.width_px, 3)


def test_a_text_layer_gives_lines_with_boxes_around_their_ink(walled_reader: DocumentReader, store: Store) -> None:
    page = read(walled_reader, text_pdf(LETTER), store)
    assert texts(page) == LETTER.splitlines()
    assert page.text_lines is not None
    corners = [corner for line in page.text_lines for corner in line.box or ()]
    left, top, right, bottom = ink_box(page)
    assert min(x for x, _ in corners) == pytest.approx(left, abs=6)
    assert max(x for x, _ in corners) == pytest.approx(right, abs=6)
    assert min(y for _, y in corners) <= top + 1
    assert max(y for _, y in corners) >= bottom - 1
    assert {line.confidence for line in page.text_lines} == {1.0}


@pytest.mark.parametrize(("rotate", "first_to_second"), [(0, (1, 0)), (90, (0, 1)), (180, (-1, 0)), (270, (0, -1))])
def test_boxes_of_a_turned_page_start_where_reading_starts(
    reader: DocumentReader, store: Store, rotate: int, first_to_second: tuple[int, int]
) -> None:
    page = read(reader, text_pdf("a line of some length", rotate=rotate), store)
    assert page.text_lines is not None
    box = page.text_lines[0].box
    assert box is not None
    (x0, y0), (x1, y1) = box[:2]
    assert (np.sign(round(x1 - x0)), np.sign(round(y1 - y0))) == first_to_second
    left, top, right, bottom = ink_box(page)
    xs, ys = [x for x, _ in box], [y for _, y in box]
    assert min(xs) - 2 <= left <= right <= max(xs) + 2
    assert min(ys) - 2 <= top <= bottom <= max(ys) + 2


def test_a_clean_page_is_kept_as_a_small_png(reader: DocumentReader, store: Store) -> None:
    page = read(reader, text_pdf(LETTER), store)
    assert page.picture_content_type == "image/png"
    assert page.picture is not None
    assert len(page.picture) < 100_000


def test_a_page_with_text_of_its_own_is_drawn_only_on_request(walled_reader: DocumentReader, store: Store) -> None:
    drawn = read(walled_reader, text_pdf(LETTER), store)
    page = walled_reader.read_page(store(text_pdf(LETTER)), "pdf", 1)
    assert (page.picture, page.picture_content_type, page.pixels) == (None, None, None)
    assert (page.width_px, page.height_px) == (drawn.width_px, drawn.height_px)
    assert page.text_lines == drawn.text_lines


def test_the_picture_and_the_pixels_are_the_same(reader: DocumentReader, store: Store) -> None:
    page = read(reader, text_pdf(LETTER), store)
    assert page.picture is not None
    assert page.pixels is not None
    with Image.open(io.BytesIO(page.picture)) as picture:
        np.testing.assert_array_equal(np.asarray(picture.convert("RGB")), page.pixels)
    np.testing.assert_array_equal(reader.decode_picture(store(page.picture)), page.pixels)


def test_a_stamp_on_a_scan_is_not_its_text(reader: DocumentReader, store: Store) -> None:
    assert read(reader, scan_with_stamp("Received 12 March, page 1 of 2"), store).text_lines is None


def test_private_characters_are_not_text(reader: DocumentReader, store: Store) -> None:
    assert read(reader, private_use_pdf(60), store).text_lines is None


def test_a_filled_form_field_is_read_with_its_page(reader: DocumentReader, store: Store) -> None:
    assert texts(read(reader, form_pdf("Grace Brewster Hopper"), store)) == ["Grace Brewster Hopper"]


def test_pages_beside_a_broken_one_are_read(reader: DocumentReader, store: Store) -> None:
    path = store(one_broken_page_pdf())
    assert reader.inspect(path).pages_total == 3
    assert texts(reader.read_page(path, "pdf", 3)) == ["a page that is fine"]
    with pytest.raises(DocumentRejected) as raised:
        reader.read_page(path, "pdf", 2)
    assert raised.value.code == "document_corrupt"
    assert "2" in raised.value.detail


def test_text_beside_the_page_is_not_on_it(reader: DocumentReader, store: Store) -> None:
    assert read(reader, text_pdf("nobody can see this line", size=(20, 20)), store).text_lines is None


def test_a_poster_is_rendered_at_a_lower_resolution(reader: DocumentReader, store: Store) -> None:
    page = read(reader, text_pdf("a poster of two metres", size=(5000, 5000)), store)
    assert 0.9 * LIMITS.max_page_pixels < page.width_px * page.height_px <= LIMITS.max_page_pixels


@pytest.mark.parametrize(
    ("codec", "content_type"),
    [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("TIFF", "image/tiff"), ("WEBP", "image/webp")],
)
def test_a_picture_is_a_document_of_one_page(
    walled_reader: DocumentReader, store: Store, codec: str, content_type: str
) -> None:
    path = store(encoded(drawn_page("hello", (400, 300)), codec))
    inspection = walled_reader.inspect(path)
    assert (inspection.content_type, inspection.kind) == (content_type, "image")
    assert [(size.width, size.height) for size in inspection.page_sizes] == [(400, 300)]
    page = walled_reader.read_page(path, "image", 1)
    assert (page.width_px, page.height_px, page.text_lines) == (400, 300, None)


def test_each_frame_of_a_tiff_is_a_page(reader: DocumentReader, store: Store) -> None:
    path = store(tiff_pages([Image.new("L", (40 + index, 30), 60 * index) for index in range(4)]))
    assert [size.width for size in reader.inspect(path).page_sizes] == [40, 41, 42, 43]
    page = reader.read_page(path, "image", 3)
    assert page.pixels is not None
    assert (page.width_px, int(page.pixels.max())) == (42, 120)
    with pytest.raises(DocumentRejected):
        reader.read_page(path, "image", 5)


@pytest.mark.parametrize("compression", ["group4", "tiff_lzw", "tiff_adobe_deflate", "packbits"])
def test_compressed_tiffs_of_fax_and_scanner_are_read(reader: DocumentReader, store: Store, compression: str) -> None:
    drawn = drawn_page("fax", (400, 300)).convert("1")
    page = read(reader, encoded(drawn, "TIFF", compression=compression), store)
    assert page.pixels is not None
    np.testing.assert_array_equal(page.pixels, np.asarray(drawn.convert("RGB")))


def test_an_animation_is_its_first_frame(reader: DocumentReader, store: Store) -> None:
    frames = [Image.new("RGB", (20, 20), color) for color in ("red", "green", "blue")]
    data = encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:], lossless=True)
    path = store(data)
    assert reader.inspect(path).pages_total == 1
    pixels = reader.read_page(path, "image", 1).pixels
    assert pixels is not None
    assert pixels[10, 10].tolist() == [255, 0, 0]


@pytest.mark.parametrize("codec", ["JPEG", "PNG", "TIFF", "WEBP", "AVIF"])
def test_a_photograph_is_turned_as_its_camera_was_held(reader: DocumentReader, store: Store, codec: str) -> None:
    image = Image.new("RGB", (40, 20), "white")
    image.paste("black", (0, 0, 20, 20))
    path = store(encoded(image, codec, exif=turned(6)))
    assert (reader.inspect(path).page_sizes[0].width, reader.inspect(path).page_sizes[0].height) == (20, 40)
    pixels = reader.read_page(path, "image", 1).pixels
    assert pixels is not None
    assert pixels.shape == (40, 20, 3)
    assert pixels[5].mean() < 50
    assert pixels[35].mean() > 200


def test_a_photograph_of_a_phone_is_read(reader: DocumentReader, store: Store) -> None:
    # A decoder that starts a thread would end the child.
    path = store(heic(3, 2, turns=[rotation(1)]))
    inspection = reader.inspect(path)
    assert (inspection.content_type, inspection.kind) == ("image/heic", "image")
    assert inspection.page_sizes == (PageSize(2 * TILE, 3 * TILE),)
    pixels = reader.read_page(path, "image", 1).pixels
    assert pixels is not None
    assert pixels.shape == (3 * TILE, 2 * TILE, 3)
    assert pixels[5, 5].mean() > 80  # red
    assert pixels[-5, 5].mean() < 20  # black


HALF_GRAY = Image.new("L", (8, 8), 128)
GRADIENT = np.linspace(0, 1, 64, dtype=np.float32).reshape(8, 8)
HALF_GRAYS = {
    "gray": encoded(HALF_GRAY, "PNG"),
    "16 bit": encoded(Image.fromarray(np.full((8, 8), 128 * 256, dtype=np.uint16)), "PNG"),
    "16 bit TIFF": encoded(Image.fromarray(np.full((8, 8), 128 * 256, dtype=np.uint16)), "TIFF"),
    "float": encoded(Image.fromarray(GRADIENT), "TIFF"),
    "CMYK": encoded(HALF_GRAY.convert("CMYK"), "TIFF"),
    "CMYK JPEG": encoded(HALF_GRAY.convert("CMYK"), "JPEG"),
    "palette": encoded(HALF_GRAY.convert("P"), "PNG"),
    "transparent": encoded(Image.new("RGBA", (8, 8), (0, 0, 0, 127)), "PNG"),
    "transparent gray": encoded(Image.new("LA", (8, 8), (0, 127)), "PNG"),
}


@pytest.mark.parametrize("mode", HALF_GRAYS)
def test_every_way_to_write_a_half_grey_is_read_as_one(reader: DocumentReader, store: Store, mode: str) -> None:
    pixels = read(reader, HALF_GRAYS[mode], store).pixels
    assert pixels is not None
    assert pixels.mean() == pytest.approx(128, abs=2)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"])
def test_plain_text_is_read_in_its_encoding(walled_reader: DocumentReader, store: Store, encoding: str) -> None:
    path = store("Grüße aus Köln\r\n\r\n  and a second line  \n".encode(encoding))
    inspection = walled_reader.inspect(path)
    assert (inspection.content_type, inspection.kind, inspection.pages_total) == ("text/plain", "text", 1)
    page = walled_reader.read_page(path, "text", 1)
    assert texts(page) == ["Grüße aus Köln", "  and a second line"]
    assert page.picture is None
    assert page.pixels is None
    assert page.text_lines is not None
    assert page.text_lines[0].box is None
    assert page.text_lines[0].confidence == 1.0


def test_a_short_text_needs_no_child_and_a_long_one_reads_the_same(walled_reader: DocumentReader, store: Store) -> None:
    childless = DocumentReader(LIMITS, children=0)
    lines = [f"Zeile {number} für Köln" for number in range(5000)]
    assert texts(walled_reader.read_page(store("\n".join(lines).encode()), "text", 1)) == lines
    assert texts(childless.read_page(store("\n".join(lines[:9]).encode()), "text", 1)) == lines[:9]
    with pytest.raises(DocumentRejected, match="nothing but blanks"):
        childless.read_page(store(b" \n "), "text", 1)
    childless.close()


def test_a_short_text_is_looked_at_without_a_child_and_nothing_else_is(store: Store) -> None:
    with closing(DocumentReader(LIMITS, children=0)) as childless:
        for text in (b"short", b"\xef\xbb\xbfshort", "kurz, schön".encode("utf-16"), b"x" * SHORT_TEXT_BYTES):
            path = store(text)
            found = childless.inspect_short_text(path)
            assert found == childless.inspect(path) == Inspection("text/plain", "text", (PageSize(0, 0),))
        png, long = encoded(drawn_page("scan", (64, 64)), "PNG"), b"y" * (SHORT_TEXT_BYTES + 1)
        for other in (text_pdf(LETTER), b"from a mail\n" + text_pdf(LETTER), png, long):
            assert childless.inspect_short_text(store(other)) is None


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "document_empty"),
        (b" \n ", "document_empty"),
        (b"a\x00b", "unsupported_type"),
        (b"PK\x05\x06", "unsupported_type"),
        (b"<svg>", "unsupported_type"),
        (b"\x90" * 50, "unsupported_type"),
        (b"\xef\xbb\xbf\xff", "document_corrupt"),
    ],
)
def test_what_is_no_short_text_after_all_is_refused_without_a_child(data: bytes, code: str, store: Store) -> None:
    with closing(DocumentReader(LIMITS, children=0)) as childless:
        with pytest.raises(DocumentRejected) as refused:
            childless.inspect_short_text(store(data))
        assert refused.value.code == code


def test_pages_are_counted_from_one(reader: DocumentReader, store: Store) -> None:
    with pytest.raises(ValueError, match="from 1"):
        reader.read_page(store(text_pdf(LETTER)), "pdf", 0)


def test_many_large_pdfs_do_not_fill_the_child(reader: DocumentReader, store: Store) -> None:
    # Each mapping counts against the child's 1 GiB of address space until it is released.
    path = store(text_pdf(LETTER) + b"%" + bytes(190 << 20))
    for _ in range(7):
        assert reader.inspect(path).pages_total == 1
