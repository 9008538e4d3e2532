"""A4 sheets with the parts that repeat on each: seller and invoice number, table head, page number."""

from datetime import UTC, date, datetime, time
from typing import Literal
from xml.sax.saxutils import escape

from fpdf import FPDF
from fpdf.enums import XPos, YPos

from tenants.billing.invoices.paper import Paper
from tenants.billing.invoices.pdf.text import as_seen, faces, has, in_lines, needs_second, shown

MAKER = "Document AI"
_XMP = """\
<x:xmpmeta xmlns:x="adobe:ns:meta/">
  <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/"
        xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
      <dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
      <dc:creator><rdf:Seq><rdf:li>{author}</rdf:li></rdf:Seq></dc:creator>
      <dc:description><rdf:Alt><rdf:li xml:lang="x-default">{subject}</rdf:li></rdf:Alt></dc:description>
      <xmp:CreateDate>{day}T00:00:00Z</xmp:CreateDate>
      <xmp:ModifyDate>{day}T00:00:00Z</xmp:ModifyDate>
      <xmp:CreatorTool>{maker}</xmp:CreatorTool>
      <pdf:Producer>{maker}</pdf:Producer>
      <pdfaid:part>3</pdfaid:part>
      <pdfaid:conformance>U</pdfaid:conformance>
    </rdf:Description>
  </rdf:RDF>
</x:xmpmeta>"""
Align = Literal["L", "R"]
MARGIN, WIDTH, BOTTOM = 20.0, 170.0, 30.0
"""Measures in millimeters."""
SIZE, SMALL, LARGE = 9.0, 7.5, 18.0
ROW = 4.6
GRAY, INK, RULE = 100, 20, 200
COLUMNS: tuple[tuple[str, float, Align], ...] = (
    ("Description", 68, "L"),
    ("Quantity", 23, "R"),
    ("Included", 21, "R"),
    ("Unit price", 34, "R"),
    ("Amount", 24, "R"),
)


def xmp(*, title: str, author: str, subject: str, day: date) -> str:
    return _XMP.format(
        title=escape(title), author=escape(author), subject=escape(subject), day=day.isoformat(), maker=MAKER
    )


class Sheet(FPDF):
    """An archival PDF. A bookkeeper keeps it for ten years, and it must still open anywhere, with its fonts."""

    def __init__(self, paper: Paper, texts: list[str]) -> None:
        super().__init__(orientation="P", unit="mm", format="A4", enforce_compliance="PDF/A-3U")
        self.paper = paper
        self.in_table = False
        self.set_auto_page_break(False)
        self.set_margins(MARGIN, MARGIN, MARGIN)
        self.c_margin = 0
        self._describe(paper)
        self._take_fonts(texts)

    def _describe(self, paper: Paper) -> None:
        title, author = shown(f"{paper.title} {paper.number}"), shown(paper.seller_name)
        subject = shown(f"{paper.title} to {paper.buyer[0] if paper.buyer else ''}")
        self.set_xmp_metadata(xmp(title=title, author=author, subject=subject, day=paper.issued_on))
        self.set_title(title)
        self.set_lang("en")
        self.set_creation_date(datetime.combine(paper.issued_on, time(), UTC))

    def _take_fonts(self, texts: list[str]) -> None:
        first, second = faces()
        wanted = (first, second) if needs_second(texts) else (first,)
        for face in wanted:
            self.add_font(face.name, "", face.regular)
            self.add_font(face.name, "B", face.bold)
        if len(wanted) > 1:
            self.set_fallback_fonts([second.name])
        self.set_font(first.name, "", SIZE)

    def style(self, *, bold: bool = False, size: float = SIZE, gray: bool = False) -> None:
        self.set_font(faces()[0].name, "B" if bold else "", size)
        self.set_text_color(GRAY if gray else INK)

    def wrapped(self, text: str, width: float) -> list[str]:
        return in_lines(shown(text, has), self.get_string_width, width)

    def put(self, text: str, width: float, align: Align = "L") -> None:
        self.cell(width, ROW, as_seen(text), align=align, new_x=XPos.RIGHT, new_y=YPos.TOP)

    def rule(self, x: float = MARGIN, width: float = WIDTH) -> None:
        self.set_draw_color(RULE)
        self.set_line_width(0.2)
        self.line(x, self.get_y(), x + width, self.get_y())

    def require(self, height: float) -> None:
        """Start a new page if this height does not fit on the current one."""
        if self.get_y() + height > self.h - BOTTOM:
            self.add_page()

    def header(self) -> None:
        if self.page_no() == 1:
            return
        self.set_xy(MARGIN, 12)
        self.style(size=SMALL, gray=True)
        self.put(self.wrapped(self.paper.seller_name, WIDTH / 2)[0], WIDTH / 2)
        self.put(f"{self.paper.title} {self.paper.number}, continued", WIDTH / 2, "R")
        self.set_xy(MARGIN, 20)
        if self.in_table:
            self.table_head()
        self.style()

    def table_head(self) -> None:
        self.style(bold=True, size=SMALL, gray=True)
        self.set_x(MARGIN)
        for title, width, align in COLUMNS:
            self.put(f"{title} ({self.paper.currency})" if title == "Amount" else title, width, align)
        self.set_y(self.get_y() + ROW + 0.6)
        self.rule()
        self.set_y(self.get_y() + 1)
        self.style()

    def footer(self) -> None:
        self.set_xy(MARGIN, self.h - BOTTOM + 4)
        self.rule()
        self.style(size=SMALL, gray=True)
        self.ln(1.5)
        top = self.get_y()
        rows = [row for part in self.paper.footer.splitlines() for row in self.wrapped(part, WIDTH - 30)]
        for row in rows[:4]:
            self.set_x(MARGIN)
            self.put(row, WIDTH - 30)
            self.ln(3.6)
        self.set_y(top)

    def number_pages(self) -> None:
        """Write the page numbers. Call it when the number of pages is known."""
        total = self.page_no()
        for number in range(1, total + 1):
            self.page = number
            # The library writes a font only if it differs from the last one it wrote, on whichever page that was.
            self.style()
            self.style(size=SMALL, gray=True)
            self.set_xy(MARGIN + WIDTH - 30, self.h - BOTTOM + 5.5)
            self.put(f"{number} / {total}", 30, "R")
        self.style()
