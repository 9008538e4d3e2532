"""Office documents, web pages and emails, made with well-known libraries, or by hand where each byte matters."""

import io
import zipfile
from collections.abc import Mapping
from datetime import date
from email.message import EmailMessage

import docx
import openpyxl
import pptx
from docx.enum.text import WD_BREAK


def word_document() -> bytes:
    """Return two pages with headings, lists, a table with merged cells, and a header."""
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Acme GmbH"
    document.add_heading("Offer 2026-17", 1)
    document.add_paragraph("Dear Ms. Smith, we offer the following.")
    document.add_heading("Scope", 2)
    document.add_paragraph("Delivery of pumps", style="List Bullet")
    document.add_paragraph("Installation on site", style="List Bullet")
    document.add_paragraph("First payment", style="List Number")
    document.add_paragraph("Second payment", style="List Number")
    table = document.add_table(rows=4, cols=3)
    for row, texts in enumerate([("Item", "Quantity", "Price"), ("Pump", "2", "1,200.00"), ("Hose", "5", "80.00")]):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    table.cell(3, 0).merge(table.cell(3, 1)).text = "Total"
    table.cell(3, 2).text = "2,800.00"
    document.add_paragraph().add_run().add_break(WD_BREAK.PAGE)
    document.add_heading("Terms", 1)
    document.add_paragraph("Payment within 30 days.")
    return _saved(document)


def workbook() -> bytes:
    """Return three sheets: one with dates and money, one with merged cells, one that is hidden."""
    book = openpyxl.Workbook()
    orders = book.active
    orders.title = "Orders"
    orders.append(["Date", "Customer", "Amount", "Share"])
    orders.append([date(2026, 3, 1), "Miller", 1234.5, 0.25])
    orders.append([date(2026, 3, 2), "Özdemir", -99, 0.075])
    for row in (2, 3):
        orders.cell(row, 1).number_format = "DD.MM.YYYY"
        orders.cell(row, 3).number_format = '#,##0.00 "€"'
        orders.cell(row, 4).number_format = "0.0%"
    plan = book.create_sheet("Plan")
    plan["A1"] = "Quarter 1"
    plan.merge_cells("A1:B1")
    plan["A2"], plan["B2"], plan["A3"], plan["B3"] = "January", "February", 10, 20
    plan["A6"] = "Note: preliminary"
    book.create_sheet("Secret")["A1"] = "hidden words"
    book["Secret"].sheet_state = "hidden"
    return _saved(book)


def presentation() -> bytes:
    """Return two slides: one with bullets and notes, one with a table."""
    deck = pptx.Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "Quarterly review"
    first.placeholders[1].text_frame.text = "Revenue grew"
    first.placeholders[1].text_frame.add_paragraph().text = "Costs fell"
    first.notes_slide.notes_text_frame.text = "Thank the team."
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "Figures"
    table = second.shapes.add_table(2, 2, 0, 2_000_000, 4_000_000, 800_000).table
    for row, texts in enumerate([("Region", "Revenue"), ("North", "10")]):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    return _saved(deck)


PAGE = """<!DOCTYPE html><html><head><title>Shop</title><style>p { color: red }</style>
<script>document.write("from a script")</script></head><body>
<h1>Price list</h1><p>All prices in <b>euro</b>,<br>without tax.</p>
<ul><li>Pumps</li><li>Hoses</li></ul><ol start="3"><li>Order</li><li>Pay</li></ol>
<table><caption>Table 1: pumps</caption><thead><tr><th>Name</th><th>Price</th></tr></thead>
<tbody><tr><td rowspan="2">Pump</td><td>1.200,00</td></tr><tr><td>1.300,00</td></tr></tbody></table>
<p hidden>unseen one</p><div style="display: none">unseen two</div>
<img src="http://127.0.0.1:9/pixel.png" alt="pixel"><iframe src="http://127.0.0.1:9/"></iframe></body></html>"""


def mail(html: str | None = "<p>Dear <b>team</b>,</p><p>see the invoice.</p>") -> bytes:
    message = EmailMessage()
    message["From"] = "Zoë Müller <zoe@example.com>"
    message["To"] = "office@example.com"
    message["Subject"] = "Invoice 4711 für März"
    message["Date"] = "Mon, 02 Mar 2026 10:00:00 +0100"
    message["Message-ID"] = "<1@example.com>"
    message.set_content("Dear team,\n\nsee the invoice.\n")
    if html is not None:
        message.add_alternative(html, subtype="html")
    message.add_attachment(b"%PDF-1.7 none", maintype="application", subtype="pdf", filename="Rechnung März.pdf")
    return message.as_bytes()


def package(parts: Mapping[str, str | bytes], *, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"


def content_types(main: str, content_type: str) -> str:
    return (
        f'<Types xmlns="{_TYPES}"><Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/{main}" ContentType="{content_type}"/></Types>'
    )


def relations(*entries: tuple[str, str, str]) -> str:
    found = "".join(
        f'<Relationship Id="{id_}" Type="{_OFFICE}/{type_}" Target="{target}"/>' for id_, type_, target in entries
    )
    return f'<Relationships xmlns="{_RELATIONS}">{found}</Relationships>'


def word_parts(body: str, *, before: str = "", macros: bool = False, **parts: str | bytes) -> dict[str, str | bytes]:
    """Return the parts of a Word document with this body. More parts are named like `styles` and have this content."""
    main_type = (
        "application/vnd.ms-word.document.macroEnabled.main+xml"
        if macros
        else "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    )
    return {
        "[Content_Types].xml": content_types("word/document.xml", main_type),
        "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")),
        "word/document.xml": f'{before}<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>',
        "word/_rels/document.xml.rels": relations(*((name, name, f"{name}.xml") for name in parts)),
        **{f"word/{name}.xml": content for name, content in parts.items()},
    }


def word(body: str, **kinds: str | bytes) -> bytes:
    return package(word_parts(body, **kinds))  # type: ignore[arg-type]


def styles(entries: str) -> str:
    return f'<w:styles xmlns:w="{_WORD}">{entries}</w:styles>'


def sheet_parts(sheet: str, *, before: str = "", **parts: str | bytes) -> dict[str, str | bytes]:
    """Return the parts of a workbook with one sheet, whose content is given."""
    return {
        "[Content_Types].xml": content_types(
            "xl/workbook.xml", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"
        ),
        "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="One" sheetId="1" r:id="s1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            ("s1", "worksheet", "sheet1.xml"), *((name, name, f"{name}.xml") for name in parts)
        ),
        "xl/sheet1.xml": f'{before}<worksheet xmlns="{_SHEET}">{sheet}</worksheet>',
        **{f"xl/{name}.xml": content for name, content in parts.items()},
    }


def sheet(content: str, **parts: str | bytes) -> bytes:
    return package(sheet_parts(content, **parts))  # type: ignore[arg-type]


def slides(shapes: str) -> bytes:
    """Return a presentation with one slide that has these shapes."""
    return package(
        {
            "[Content_Types].xml": content_types(
                "ppt/presentation.xml",
                "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
            ),
            "_rels/.rels": relations(("r1", "officeDocument", "ppt/presentation.xml")),
            "ppt/presentation.xml": f'<p:presentation xmlns:p="{_SLIDES}" xmlns:r="{_OFFICE}"><p:sldIdLst>'
            '<p:sldId id="256" r:id="s1"/></p:sldIdLst></p:presentation>',
            "ppt/_rels/presentation.xml.rels": relations(("s1", "slide", "slide1.xml")),
            "ppt/slide1.xml": f'<p:sld xmlns:p="{_SLIDES}" xmlns:a="{_DRAWING}"><p:cSld><p:spTree>{shapes}'
            "</p:spTree></p:cSld></p:sld>",
        }
    )


def _saved(document: object) -> bytes:
    out = io.BytesIO()
    document.save(out)  # type: ignore[attr-defined]
    return out.getvalue()
