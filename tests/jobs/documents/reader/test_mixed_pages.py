"""Tests of pages that have text of their own beside pictures."""

import io

import pypdfium2
import pytest
from PIL import Image, ImageFilter

from jobs.documents.reader import DocumentReader, PageContent
from tests.samples.pdfs import picture_of, text_pdf, text_with_picture

from .conftest import Store

TEXT = "The text of this page is a sentence.\nIt goes on for one more line."
TABLE = ("Chairs   4   39.00", "Tables   1   250.00", "Lamps   2   25.00")
LONG = "\n".join(f"Line {number} of a page of text that fills the sheet nearly to its edges." for number in range(48))


def read(reader: DocumentReader, content: bytes, store: Store) -> PageContent:
    return reader.read_page(store(content), "pdf", 1)


def test_a_scanned_table_beside_text_is_a_part_to_be_read(walled_reader: DocumentReader, store: Store) -> None:
    page = read(walled_reader, text_with_picture(TEXT, picture_of(*TABLE)), store)
    assert page.text_lines is not None
    assert [line.text for line in page.text_lines] == TEXT.splitlines()
    assert page.pixels is not None
    (scan,) = page.scans
    assert scan == pytest.approx((200, 950, 1453, 1783), abs=2)


@pytest.mark.parametrize(
    ("picture", "box"),
    [
        (picture_of(*TABLE), (72, 500, 150, 550)),  # as small as a logo
        (Image.new("RGB", (600, 400), "white"), (72, 200, 523, 500)),
        (Image.new("RGB", (600, 400), "navy"), (0, 0, 595, 842)),
        (Image.linear_gradient("L").resize((600, 400)), (0, 0, 595, 842)),
        (Image.effect_noise((600, 800), 20).filter(ImageFilter.GaussianBlur(2)), (0, 0, 595, 842)),
    ],
)
def test_a_picture_without_print_of_its_own_is_none(
    reader: DocumentReader, store: Store, picture: Image.Image, box: tuple[int, int, int, int]
) -> None:
    page = read(reader, text_with_picture(LONG, picture, box), store)
    assert page.text_lines is not None
    assert (page.scans, page.picture) == ((), None)


def drawn(content: bytes, dpi: int = 150) -> Image.Image:
    document = pypdfium2.PdfDocument(io.BytesIO(content))
    picture: Image.Image = document[0].render(scale=dpi / 72).to_pil()
    return picture.convert("RGB")


def test_a_scan_under_its_recognized_text_is_its_text(reader: DocumentReader, store: Store) -> None:
    scan = drawn(text_pdf(LONG)).filter(ImageFilter.GaussianBlur(0.7))
    page = read(reader, text_with_picture(LONG, scan, (0, 0, 595, 842)), store)
    assert page.text_lines is not None
    assert (page.scans, page.picture) == ((), None)


def test_a_scan_whose_text_covers_only_its_header_is_read(reader: DocumentReader, store: Store) -> None:
    header = "\n".join(LONG.splitlines()[:4])
    page = read(reader, text_with_picture(header, drawn(text_pdf(LONG)), (0, 0, 595, 842)), store)
    assert page.text_lines is not None
    assert len(page.scans) == 1
