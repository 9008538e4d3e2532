"""Test that the pages that are read with another one are the same as those read by themselves."""

import pytest

from jobs.documents.reader import DocumentReader, DocumentRejected, PageContent
from tests.samples import office

from .conftest import Store

_BREAK = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
_NOTE = '<w:r><w:footnoteReference w:id="7"/></w:r>'
_NUMBER = (
    '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>'
    '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>99</w:t></w:r>'
    '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
)
_SECTION = '<w:sectPr xmlns:r="urn:r"><w:headerReference w:type="default" r:id="{}"/></w:sectPr>'


def paragraph(text: str, more: str = "") -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r>{more}</w:p>"


def document(pages: int) -> bytes:
    """Return a document whose pages have headers, which number them, and footnotes, in two sections."""
    half = pages // 2
    bodies = [paragraph(f"Page {number}", _NOTE + _NUMBER) for number in range(1, pages + 1)]
    first, second = _BREAK.join(bodies[:half]), _BREAK.join(bodies[half:])
    body = f"{first}<w:p><w:pPr>{_SECTION.format('one')}</w:pPr></w:p>{second}{_SECTION.format('two')}"
    word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    header = "<w:hdr {}><w:p><w:r><w:t>{} </w:t></w:r>{}</w:p></w:hdr>"
    parts = office.word_parts(
        body,
        one=header.format(word, "First half", _NUMBER),
        two=header.format(word, "Second half", _NUMBER),
        footnotes=f'<w:footnotes {word}><w:footnote w:id="7">{paragraph("See above.")}</w:footnote></w:footnotes>',
    )
    return office.package(parts)


def texts(page: PageContent) -> list[str]:
    return [line.text for line in page.text_lines or ()]


def test_pages_after_the_wanted_one_come_with_it_and_are_the_same(reader: DocumentReader, store: Store) -> None:
    path = store(document(50))
    assert reader.inspect(path).pages_total == 50
    alone = [reader.read_page(path, "docx", number) for number in range(1, 51)]
    assert texts(alone[0]) == ["First half 1", "Page 1¹1", "¹ See above."]
    assert texts(alone[49]) == ["Second half 50", "Page 50⁵⁰50", "⁵⁰ See above."]
    for first in (1, 20, 24, 25, 26, 40, 50):
        together = reader.read_pages(path, "docx", first)
        assert len(together) == min(32, 51 - first)
        assert together == alone[first - 1 : first - 1 + len(together)]


def test_error_on_a_later_page_is_that_page_s_alone(reader: DocumentReader, store: Store) -> None:
    cells = "<w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc>" * 500
    table = f"<w:tbl>{f'<w:tr>{cells}</w:tr>' * 101}</w:tbl>"
    path = store(office.word(_BREAK.join([paragraph("one"), paragraph("two"), table, paragraph("four")])))
    assert [texts(page) for page in reader.read_pages(path, "docx", 1)] == [["one"], ["two"]]
    assert [texts(page) for page in reader.read_pages(path, "docx", 4)] == [["four"]]
    with pytest.raises(DocumentRejected) as raised:
        reader.read_pages(path, "docx", 3)
    assert raised.value.code == "document_too_large"


def test_pages_end_before_they_are_too_much_text(reader: DocumentReader, store: Store) -> None:
    path = store(office.word(_BREAK.join(paragraph("word " * 20_000) for _ in range(30))))
    assert len(reader.read_pages(path, "docx", 1)) == 6
