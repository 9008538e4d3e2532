"""Test that a picture that fills a page of an Office document is read as that page, and that others are counted."""

import io
from collections.abc import Callable

import docx
import pptx
import pytest
from docx.shared import Cm
from PIL import Image
from pptx.util import Cm as SlideCm

from jobs.documents.reader import DocumentReader, DocumentRejected, PageContent
from tests.samples import office
from tests.samples.heic import heic
from tests.samples.images import drawn_page, encoded, png_header_only

from .conftest import Store

LETTER = encoded(drawn_page("Dear Ms. Smith", (400, 560)), "JPEG")


def pages_of(reader: DocumentReader, store: Store, data: bytes) -> list[PageContent]:
    path = store(data)
    inspection = reader.inspect(path)
    return [reader.read_page(path, inspection.kind, number + 1) for number in range(inspection.pages_total)]


def shape_of(page: PageContent) -> tuple[int, int] | str:
    """Return the size of the picture, or the text of a page without one."""
    if page.pixels is not None:
        assert page.items is None
        assert page.text_lines is None
        return page.pixels.shape[1], page.pixels.shape[0]
    return "\n".join(line.text for line in page.text_lines or ())


def word_with(picture: bytes, width_cm: float, *, before: str = "", after: str = "") -> bytes:
    document = docx.Document()
    for text in filter(None, [before]):
        document.add_paragraph(text)
    document.add_picture(io.BytesIO(picture), width=Cm(width_cm))
    for text in filter(None, [after]):
        document.add_paragraph(text)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def slide_with(picture: bytes, width_cm: float, title: str = "") -> bytes:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = title
    slide.shapes.add_picture(io.BytesIO(picture), 0, 0, width=SlideCm(width_cm))
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def test_document_that_is_only_a_photo_of_a_letter_is_that_picture(reader: DocumentReader, store: Store) -> None:
    (page,) = pages_of(reader, store, word_with(LETTER, 16))
    assert shape_of(page) == (400, 560)
    assert page.unread_pictures == 0


def test_large_picture_between_texts_is_a_page_by_itself(reader: DocumentReader, store: Store) -> None:
    pages = pages_of(reader, store, word_with(LETTER, 16, before="See the letter.", after="Yours"))
    assert [shape_of(page) for page in pages] == ["See the letter.", (400, 560), "Yours"]


def test_picture_of_half_the_width_is_counted_and_a_logo_is_not(reader: DocumentReader, store: Store) -> None:
    (page,) = pages_of(reader, store, word_with(LETTER, 8, before="Text"))
    assert (shape_of(page), page.unread_pictures) == ("Text", 1)
    (page,) = pages_of(reader, store, word_with(LETTER, 2, before="Text"))
    assert (shape_of(page), page.unread_pictures) == ("Text", 0)


def test_scanned_slide_is_that_picture_and_a_picture_beside_text_is_counted(
    reader: DocumentReader, store: Store
) -> None:
    wide = encoded(drawn_page("Plan", (640, 480)), "PNG")
    (page,) = pages_of(reader, store, slide_with(wide, 25))
    assert shape_of(page) == (640, 480)
    (page,) = pages_of(reader, store, slide_with(wide, 20, "Plan of the year"))
    assert (shape_of(page), page.unread_pictures) == ("Plan of the year", 1)


def test_cut_off_part_of_a_picture_is_not_read(reader: DocumentReader, store: Store) -> None:
    picture = Image.new("RGB", (400, 560), "white")
    drawing = word_drawing('<a:srcRect l="25000" b="50000"/>')
    (page,) = pages_of(reader, store, word_of(drawing, encoded(picture, "PNG")))
    assert shape_of(page) == (300, 280)


def word_drawing(more: str = "", *, id_: str = "p1", cx: int = 6_000_000, cy: int = 8_000_000) -> str:
    return (
        '<w:p><w:r><w:drawing><wp:inline xmlns:wp="urn:wp" xmlns:a="urn:a" xmlns:r="urn:r">'
        f'<wp:extent cx="{cx}" cy="{cy}"/><a:graphic><a:blip r:embed="{id_}"/>{more}</a:graphic>'
        "</wp:inline></w:drawing></w:r></w:p>"
    )


def word_of(body: str, picture: bytes, relation: tuple[str, str, str] = ("p1", "image", "media/p1.png")) -> bytes:
    parts = office.word_parts(body)
    return office.package(
        {**parts, "word/media/p1.png": picture, "word/_rels/document.xml.rels": office.relations(relation)}
    )


VML = (
    '<w:p><w:r><w:pict><v:shape xmlns:v="urn:v" xmlns:r="urn:r" style="position:absolute;width:450pt;height:600pt">'
    '<v:imagedata r:id="p1"/></v:shape></w:pict></w:r></w:p>'
)

READ: dict[str, Callable[[], bytes]] = {
    "a picture as old versions of Word wrote it": lambda: word_of(VML, LETTER),
    "a photo of a phone": lambda: word_of(word_drawing(), heic(4, 4)),
}


@pytest.mark.parametrize("name", READ)
def test_picture_is_read(reader: DocumentReader, store: Store, name: str) -> None:
    (page,) = pages_of(reader, store, READ[name]())
    assert page.pixels is not None


UNREAD: dict[str, Callable[[], bytes]] = {
    "of 50,000 x 50,000": lambda: word_of(word_drawing(), png_header_only(50_000, 50_000)),
    "cut in half": lambda: word_of(word_drawing(), LETTER[: len(LETTER) // 2]),
    "a drawing of Windows": lambda: word_of(word_drawing(), b"\1\0\0\0" + bytes(200)),
    "a web page": lambda: word_of(word_drawing(), b"<html><p>x</p></html>"),
    "another document": lambda: word_of(word_drawing(), b"%PDF-1.7\n"),
    "no part": lambda: word_of(word_drawing(id_="p2"), LETTER),
    "the document itself": lambda: word_of(word_drawing(), b"", ("p1", "image", "document.xml")),
    "in a table": lambda: word_of(f"<w:tbl><w:tr><w:tc>{word_drawing()}</w:tc></w:tr></w:tbl>", LETTER),
}


@pytest.mark.parametrize("name", UNREAD)
def test_picture_that_cannot_be_read_is_counted(reader: DocumentReader, store: Store, name: str) -> None:
    pages = pages_of(reader, store, UNREAD[name]())
    assert [(shape_of(page), page.unread_pictures) for page in pages] == [("", 1)]


def test_ten_thousand_large_pictures_are_as_many_pages_and_too_many(reader: DocumentReader, store: Store) -> None:
    with pytest.raises(DocumentRejected) as raised:
        pages_of(reader, store, word_of(word_drawing() * 10_000, LETTER))
    assert raised.value.code == "too_many_pages"
