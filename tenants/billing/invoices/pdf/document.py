"""Writes an invoice as a PDF: the parties, the facts, the lines, the totals, and how it is paid."""

from collections.abc import Iterator, Sequence

from tenants.billing.invoices.paper import Pairs, Paper, PaperLine
from tenants.billing.invoices.pdf.sheet import COLUMNS, LARGE, MARGIN, ROW, SIZE, SMALL, WIDTH, Sheet

HALF = WIDTH / 2 - 5
RIGHT = MARGIN + WIDTH / 2 + 5
NAMES, SUMS = 32.0, 90.0


def as_pdf(paper: Paper) -> bytes:
    """Return the PDF. The same content always gives the same bytes."""
    sheet = Sheet(paper, list(_texts(paper)))
    sheet.add_page()
    _heading(sheet)
    _parties(sheet)
    _table(sheet)
    _totals(sheet)
    _closing(sheet)
    sheet.number_pages()
    return bytes(sheet.output())


def _texts(paper: Paper) -> Iterator[str]:
    yield from (paper.title, paper.number, paper.footer, *paper.seller, *paper.buyer, *paper.notes)
    for pairs in (paper.facts, paper.totals, paper.payment):
        yield from (text for pair in pairs for text in pair)
    yield from (line.text for line in paper.lines)


def _heading(sheet: Sheet) -> None:
    sheet.set_xy(MARGIN, MARGIN)
    sheet.style(bold=True, size=LARGE)
    sheet.put(sheet.paper.title, WIDTH)
    sheet.set_xy(MARGIN, MARGIN + 9)
    sheet.style(gray=True, size=SIZE + 1)
    sheet.put(sheet.paper.number, WIDTH)
    sheet.set_xy(MARGIN, MARGIN + 20)


def _parties(sheet: Sheet) -> None:
    """Draw the buyer, in the position of an envelope's window, with the invoice's facts beside it."""
    top = sheet.get_y()
    end = _block(sheet, "To", sheet.paper.buyer, MARGIN, top)
    _block_of_pairs(sheet, sheet.paper.facts, RIGHT, top, HALF - NAMES)
    sheet.set_y(max(end, sheet.get_y()) + 4)
    end = _block(sheet, "From", sheet.paper.seller, MARGIN, sheet.get_y())
    sheet.set_y(end + 7)


def _block(sheet: Sheet, title: str, rows: Sequence[str], x: float, y: float) -> float:
    sheet.set_xy(x, y)
    sheet.style(bold=True, size=SMALL, gray=True)
    sheet.put(title, HALF)
    sheet.set_xy(x, y + ROW)
    for position, row in enumerate(rows):
        sheet.style(bold=position == 0)
        _rows(sheet, row, x, HALF)
    return sheet.get_y()


def _rows(sheet: Sheet, text: str, x: float, width: float) -> None:
    for row in sheet.wrapped(text, width):
        sheet.require(ROW)
        sheet.set_x(x)
        sheet.put(row, width)
        sheet.set_y(sheet.get_y() + ROW)


def _block_of_pairs(sheet: Sheet, pairs: Pairs, x: float, y: float, width: float) -> None:
    sheet.set_xy(x, y)
    for name, value in pairs:
        sheet.require(ROW)
        sheet.set_x(x)
        sheet.style(gray=True)
        sheet.put(name, NAMES)
        sheet.style()
        for row in value.splitlines():
            _rows(sheet, row, x + NAMES, width)


def _table(sheet: Sheet) -> None:
    sheet.require(ROW * 4)
    sheet.table_head()
    sheet.in_table = True
    for line in sheet.paper.lines:
        _line(sheet, line)
    sheet.in_table = False
    if not sheet.paper.lines:
        sheet.style(gray=True)
        _rows(sheet, "No lines.", MARGIN, WIDTH)


def _line(sheet: Sheet, line: PaperLine) -> None:
    rows = sheet.wrapped(line.text, COLUMNS[0][1] - 3)
    sheet.require(ROW * len(rows) + 1.6)
    sheet.set_x(MARGIN)
    top = sheet.get_y()
    cells = (rows[0], line.quantity, line.included, line.unit_price, line.amount)
    for text, (_, width, align) in zip(cells, COLUMNS, strict=True):
        sheet.put(text, width, align)
    for row in rows[1:]:
        sheet.set_xy(MARGIN, sheet.get_y() + ROW)
        sheet.put(row, COLUMNS[0][1])
    sheet.set_y(top + ROW * len(rows) + 0.8)
    sheet.rule()
    sheet.set_y(sheet.get_y() + 0.8)


def _totals(sheet: Sheet) -> None:
    totals = sheet.paper.totals
    sheet.require(ROW * (len(totals) + 2))
    sheet.set_y(sheet.get_y() + 3)
    x = MARGIN + WIDTH - SUMS
    for position, (name, value) in enumerate(totals):
        last = position == len(totals) - 1
        if last:
            sheet.set_y(sheet.get_y() + 0.8)
            sheet.rule(x, SUMS)
            sheet.set_y(sheet.get_y() + 1)
        sheet.style(bold=last, size=SIZE + 1 if last else SIZE)
        sheet.set_x(x)
        sheet.put(name, SUMS - 40)
        sheet.put(value, 40, "R")
        sheet.set_y(sheet.get_y() + ROW + 0.4)


def _closing(sheet: Sheet) -> None:
    sheet.set_y(sheet.get_y() + 5)
    sheet.style()
    for note in sheet.paper.notes:
        _rows(sheet, note, MARGIN, WIDTH)
        sheet.set_y(sheet.get_y() + 1.5)
    rows = sum(len(value.splitlines()) for _, value in sheet.paper.payment)
    sheet.require(ROW * rows)
    _block_of_pairs(sheet, sheet.paper.payment, MARGIN, sheet.get_y() + 2, WIDTH - NAMES)
