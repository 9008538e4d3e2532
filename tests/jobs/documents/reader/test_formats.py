"""Test what pages of Office documents, web pages and emails consist of, as the sandboxed child reads them."""

import http.server
import threading
from collections.abc import Iterator

import pytest

from inference.core.contracts import PageItem
from jobs.documents.reader import DocumentReader, Kind
from tests.samples import office

from .conftest import Store

Found = tuple[Kind, list[list[PageItem]]]


def read(reader: DocumentReader, store: Store, data: bytes) -> Found:
    path = store(data)
    inspection = reader.inspect(path)
    contents = [reader.read_page(path, inspection.kind, number + 1) for number in range(inspection.pages_total)]
    assert all(content.picture is None and content.width_px == 0 for content in contents)
    return inspection.kind, [list(content.items or ()) for content in contents]


def outline(items: list[PageItem]) -> list[tuple[str, str]]:
    return [(item.type, "\n".join(item.lines)) for item in items]


def test_word_document_is_read_page_by_page(reader: DocumentReader, store: Store) -> None:
    kind, (first, second) = read(reader, store, office.word_document())
    assert kind == "docx"
    assert outline(first) == [
        ("header", "Acme GmbH"),
        ("heading", "Offer 2026-17"),
        ("paragraph", "Dear Ms. Smith, we offer the following."),
        ("heading", "Scope"),
        ("list_item", "• Delivery of pumps"),
        ("list_item", "• Installation on site"),
        ("list_item", "1. First payment"),
        ("list_item", "2. Second payment"),
        ("table", "Item\tQuantity\tPrice\nPump\t2\t1,200.00\nHose\t5\t80.00\nTotal\t2,800.00"),
    ]
    assert [item.level for item in first if item.type == "heading"] == [1, 2]
    table = first[-1]
    assert (table.rows, table.columns) == (4, 3)
    assert [cell.column_span for cell in table.cells if cell.row == 3] == [2, 1]
    assert outline(second) == [
        ("header", "Acme GmbH"),
        ("heading", "Terms"),
        ("paragraph", "Payment within 30 days."),
    ]


def test_word_document_has_notes_vertical_spans_and_no_deleted_text(reader: DocumentReader, store: Store) -> None:
    text = "<w:r><w:t>kept</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
    note = '<w:r><w:footnoteReference w:id="7"/></w:r>'
    restart, goes_on = '<w:tcPr><w:vMerge w:val="restart"/></w:tcPr>', "<w:tcPr><w:vMerge/></w:tcPr>"
    rows = (
        f"<w:tr><w:trPr><w:tblHeader/></w:trPr><w:tc>{office_run('a')}</w:tc><w:tc>{office_run('b')}</w:tc></w:tr>"
        f"<w:tr><w:tc>{restart}{office_run('c')}</w:tc><w:tc>{office_run('d')}</w:tc></w:tr>"
        f"<w:tr><w:tc>{goes_on}<w:p/></w:tc><w:tc>{office_run('e')}</w:tc></w:tr>"
    )
    notes = (
        '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        f'<w:footnote w:id="7">{office_run("See there.")}</w:footnote></w:footnotes>'
    )
    document = office.word(f"<w:p>{text}{hidden}{note}</w:p><w:tbl>{rows}</w:tbl>", footnotes=notes)
    _, (items,) = read(reader, store, document)
    assert outline(items) == [("paragraph", "kept¹"), ("table", "a\tb\nc\td\ne"), ("footnote", "¹ See there.")]
    assert [(cell.text, cell.row_span, cell.header) for cell in items[1].cells] == [
        ("a", 1, True),
        ("b", 1, True),
        ("c", 2, False),
        ("d", 1, False),
        ("e", 1, False),
    ]


def office_run(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_document_with_macros_is_read_and_they_are_not(reader: DocumentReader, store: Store) -> None:
    parts = office.word_parts(office_run("text"), macros=True)
    kind, (items,) = read(reader, store, office.package({**parts, "word/vbaProject.bin": b"\xd0\xcf macro"}))
    assert (kind, outline(items)) == ("docx", [("paragraph", "text")])


def test_workbook_has_a_page_for_each_sheet_with_its_values_as_shown(reader: DocumentReader, store: Store) -> None:
    kind, (orders, plan, secret) = read(reader, store, office.workbook())
    assert kind == "xlsx"
    rows = "Date\tCustomer\tAmount\tShare\n01.03.2026\tMiller\t1,234.50 €\t25.0%\n02.03.2026\tÖzdemir\t-99.00 €\t7.5%"
    assert outline(orders) == [("heading", "Orders"), ("table", rows)]
    assert orders[1].header_rows == 1
    assert outline(plan) == [
        ("heading", "Plan"),
        ("table", "Quarter 1\nJanuary\tFebruary\n10\t20"),
        ("paragraph", "Note: preliminary"),
    ]
    assert plan[1].cells[0].column_span == 2
    assert outline(secret) == [
        ("heading", "Secret"),
        ("side_note", "This sheet is hidden."),
        ("paragraph", "hidden words"),
    ]


def test_presentation_has_a_page_for_each_slide(reader: DocumentReader, store: Store) -> None:
    kind, (first, second) = read(reader, store, office.presentation())
    assert kind == "pptx"
    assert outline(first) == [
        ("heading", "Quarterly review"),
        ("list_item", "• Revenue grew"),
        ("list_item", "• Costs fell"),
        ("side_note", "Thank the team."),
    ]
    assert outline(second) == [("heading", "Figures"), ("table", "Region\tRevenue\nNorth\t10")]
    assert second[1].header_rows == 1


def test_shapes_are_read_by_their_places(reader: DocumentReader, store: Store) -> None:
    def shape(text: str, x: int, y: int) -> str:
        place = f'<p:spPr><a:xfrm><a:off x="{x}" y="{y}"/></a:xfrm></p:spPr>'
        return f"<p:sp>{place}<p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"

    shapes = shape("below", 0, 5_000_000) + shape("right", 4_000_000, 100_000) + shape("left", 0, 200_000)
    _, (items,) = read(reader, store, office.slides(shapes))
    assert [item.text for item in items] == ["left", "right", "below"]


def test_web_page_has_what_a_person_sees(reader: DocumentReader, store: Store) -> None:
    kind, (items,) = read(reader, store, office.PAGE.encode())
    assert kind == "html"
    assert outline(items) == [
        ("heading", "Price list"),
        ("paragraph", "All prices in euro,\nwithout tax."),
        ("list_item", "• Pumps"),
        ("list_item", "• Hoses"),
        ("list_item", "3. Order"),
        ("list_item", "4. Pay"),
        ("caption", "Table 1: pumps"),
        ("table", "Name\tPrice\nPump\t1.200,00\n1.300,00"),
    ]
    assert [(cell.text, cell.row_span) for cell in items[-1].cells if cell.row == 1] == [("Pump", 2), ("1.200,00", 1)]


@pytest.mark.parametrize(
    "data",
    [
        "<html><body>Grüße €</body></html>".encode("utf-16"),
        "<html><body>Grüße €</body></html>".encode("cp1252"),
        '<html><meta charset="iso-8859-15"><body>Grüße €</body></html>'.encode("iso-8859-15"),
        "\ufeff<html><body>Grüße €</body></html>".encode(),
    ],
)
def test_encoding_of_a_web_page_is_found(data: bytes, reader: DocumentReader, store: Store) -> None:
    assert outline(read(reader, store, data)[1][0]) == [("paragraph", "Grüße €")]


@pytest.mark.parametrize(
    ("html", "body"),
    [
        ("<p>Dear <b>team</b>,</p><p>see the invoice.</p>", ["Dear team,", "see the invoice."]),
        ("<table><tr><td>Dear</td></tr><tr><td>team</td></tr></table>", ["Dear", "team"]),
        (None, ["Dear team,", "see the invoice."]),
    ],
)
def test_email_has_its_header_its_text_and_the_names_of_its_attachments(
    html: str | None, body: list[str], reader: DocumentReader, store: Store
) -> None:
    kind, (items,) = read(reader, store, office.mail(html))
    assert kind == "eml"
    header = "From\tZoë Müller <zoe@example.com>\nTo\toffice@example.com\nDate\tMon, 02 Mar 2026 10:00:00 +0100"
    assert outline(items) == [
        ("heading", "Invoice 4711 für März"),
        ("table", header),
        *(("paragraph", text) for text in body),
        ("heading", "Attachments"),
        ("list_item", "• Rechnung März.pdf"),
    ]


@pytest.fixture
def server() -> Iterator[http.server.HTTPServer]:
    """Yield a server that no document may reach. It counts the requests in `requests`."""

    class Counting(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.append(self.path)
            self.send_error(404)

    found: list[str] = []
    made = http.server.HTTPServer(("127.0.0.1", 0), Counting)
    made.requests = found  # type: ignore[attr-defined]
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def test_nothing_is_ever_fetched(reader: DocumentReader, store: Store, server: http.server.HTTPServer) -> None:
    address = f"http://127.0.0.1:{server.server_port}"
    page = (
        f'<!DOCTYPE html SYSTEM "{address}/dtd"><html><head><base href="{address}/"><link rel="stylesheet" '
        f'href="style.css"></head><body>text<img src="a.png"><object data="{address}/b"></object></body></html>'
    )
    read(reader, store, page.encode())
    read(reader, store, office.mail(page))
    link = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="s" '
        f'Type="x/styles" TargetMode="External" Target="{address}/styles.xml"/></Relationships>'
    )
    parts = {**office.word_parts(office_run("text")), "word/_rels/document.xml.rels": link}
    read(reader, store, office.package(parts))
    assert server.requests == []  # type: ignore[attr-defined]
