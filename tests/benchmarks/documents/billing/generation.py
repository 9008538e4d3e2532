"""Generate an invoice, credit note or receipt by its template, language and seed."""

from collections.abc import Callable
from decimal import Decimal

from inference.tables.table import Table
from tests.benchmarks.documents.billing.compose import InvoicePage
from tests.benchmarks.documents.billing.content import Content
from tests.benchmarks.documents.billing.design import design_of
from tests.benchmarks.documents.billing.pen import Pen
from tests.benchmarks.documents.billing.receipts import WIDTH, print_receipt
from tests.benchmarks.documents.billing.truth import BillingDocument, Place, TruthField
from tests.benchmarks.documents.fonts import families, named
from tests.benchmarks.documents.sheet import Sheet
from tests.benchmarks.documents.studio import A4
from tests.benchmarks.documents.truth import GeneratedPage


def generate_billing(
    template: int, language: str, seed: int, *, dpi: float = 150, font: str | None = None
) -> BillingDocument:
    design = design_of(template)
    content = Content(design, language, seed)
    family = named(font) if font else content.chance.choice(families())
    size = content.chance.uniform(8.5, 10.5)
    pens: list[Pen] = []

    def pen_of(width: float, height: float) -> Pen:
        sheet = Sheet(width, height, dpi)
        sheet.language = language
        pens.append(Pen(sheet, family, size))
        return pens[-1]

    tables: list[list[Table]] = []
    if design.kind == "receipt":
        print_receipt(content, pen_of(WIDTH, 330.0 + 15 * len(content.items)))
        tables.append([])
    else:
        tables = _invoice(content, pen_of)
    pages = [pen.sheet.page("invoice", "billing") for pen in pens]
    fields = _truth(content, pens, pages)
    rates = {f"{rate:f}": sums for rate, sums in content.rates.items()}
    items = [] if design.kind == "receipt" else content.items
    return BillingDocument(template, language, design.kind, pages, tables, fields, items, rates)


def _invoice(content: Content, pen_of: Callable[[float, float], Pen]) -> list[list[Table]]:
    tables: list[list[Table]] = []
    printed, number = 0, 1
    page = InvoicePage(content, pen_of(*A4), number)
    page.top()
    while True:
        printed += page.items(content.items[printed:], printed)
        if printed == len(content.items) and page.y < 640:
            break
        if printed < len(content.items):
            page.carry(sum((item.amount for item in content.items[:printed]), Decimal(0)))
        tables.append(page.tables)
        number += 1
        page = InvoicePage(content, pen_of(*A4), number)
        if content.design.repeated_header:
            page.short_top()
        if printed == len(content.items):
            break
    page.totals()
    page.foot()
    if number > 1:
        page.page_mark(number)
    return [*tables, page.tables]


def _truth(content: Content, pens: list[Pen], pages: list[GeneratedPage]) -> dict[str, TruthField]:
    values = {
        "invoice_number": content.number,
        "issue_date": content.issued.isoformat(),
        "due_date": content.due.isoformat(),
        "supplier": content.supplier.name,
        "buyer": content.buyer.name,
        "order_number": content.order,
        "currency": content.currency,
        "net": f"{content.net:.2f}",
        "tax": f"{content.tax:.2f}",
        "total": f"{content.total:.2f}",
        "iban": content.iban.replace(" ", ""),
    }
    fields: dict[str, TruthField] = {}
    for number, (pen, page) in enumerate(zip(pens, pages, strict=True), 1):
        places = {word.box: position for position, word in enumerate(page.words)}
        for name, quads in pen.marks:
            words = tuple(places[quad] for quad in quads)
            printed = " ".join(page.words[position].text for position in words)
            found = fields.setdefault(name, TruthField(printed, values[name]))
            found.places.append(Place(number, words))
    unseen = ("none", "head") if content.design.kind == "receipt" else ("none",)
    if "currency" not in fields and content.design.currency not in unseen:
        fields["currency"] = TruthField(content.currency, content.currency)
    return fields
