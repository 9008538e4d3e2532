"""Tests of the invoice as a PDF: it has all that a bookkeeper looks for, and the same bytes each time."""

import re
from collections.abc import Callable, Iterator
from datetime import date
from io import BytesIO
from typing import Any

import pikepdf
import pypdfium2
import pytest
from django.utils import timezone

from tenants.billing.invoices.issued import find_invoice, whole
from tenants.billing.invoices.models import Invoice
from tenants.billing.invoices.pdf.document import as_pdf
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.times import day_text
from tenants.onboarding.create_tenant import CreatedTenant
from tests.flows.invoices import FEE, credit_note, issued, line

Issue = Callable[..., Invoice]


@pytest.fixture
def issue(tenant: CreatedTenant) -> Issue:
    def do(*args: Any, **changes: Any) -> Invoice:
        return issued(tenant.tenant.id, *args, **changes)

    return do


def pdf_of(invoice: Invoice) -> bytes:
    with unit_of_work(invoice.tenant_id):
        found = find_invoice(invoice.id)
        assert found
        return as_pdf(whole(found).paper)


def pages_of(content: bytes) -> list[str]:
    with pypdfium2.PdfDocument(content) as document:
        return [page.get_textpage().get_text_range().replace("\r\n", "\n") for page in document]


def text_of(invoice: Invoice) -> str:
    return "\n".join(pages_of(pdf_of(invoice)))


def test_all_that_a_book_keeper_looks_for_stands_on_it(issue: Issue) -> None:
    invoice = issue(balance_micros=9_730_000, issued_on=date(2026, 11, 1), due_on=date(2026, 11, 15))
    text = text_of(invoice)
    for said in (
        *("Invoice", invoice.number, "1 Nov 2026", "15 Nov 2026", "1 Oct 2026 to 31 Oct 2026"),
        *("Lesewerk Dokumente GmbH", "Speicherstraße 12", "20457 Hamburg", "DE123456789"),
        *("Atelier Éluard S.à r.l.", "Rue de l’Église 5", "75001 Paris", "FR98765432100", "PO 4711"),
        *("Plan Business, October 2026", "49.00", "parse, pages", "12,345", "345", "0.0015 / page", "18.00"),
        *("67.00 EUR", "VAT 19 % of 67.00", "12.73 EUR", "79.73 EUR"),
        *("Paid from balance", "-9.73 EUR", "Amount due", "70.00 EUR", "70.00 EUR by 15 Nov 2026"),
        *("IBAN DE02 1203 0000 0000 2020 51", "BIC BYLADEM1001", "HRB 12345", "1 / 1"),
    ):
        assert said in text, said


def test_why_no_tax_is_on_it_is_said(issue: Issue) -> None:
    note = "Reverse charge: the customer is liable for the tax."
    text = text_of(issue(tax_micros=0, tax_rate_bp=0, tax_note=note))
    assert note in text
    assert "VAT 0 % of 67.00" in text


def test_nothing_is_asked_for_where_the_balance_paid_all(issue: Issue) -> None:
    text = text_of(issue(balance_micros=79_730_000))
    assert "Nothing is due" in text
    assert "IBAN" not in text


def test_a_credit_note_is_named_so_with_what_it_corrects(issue: Issue) -> None:
    invoice = issue()
    text = text_of(credit_note(invoice))
    assert text.startswith("Credit note")
    assert f"{invoice.number} of {day_text(invoice.issued_on)}" in " ".join(text.split())
    assert text.count("Pages were read twice") == 1
    assert "Amount due" not in text
    assert "Due on" not in text


def test_it_is_the_same_whenever_it_is_made_and_whatever_is_paid_since(issue: Issue) -> None:
    invoice = issue(issued_on=date(2025, 3, 4), due_on=date(2025, 3, 18))
    first = pdf_of(invoice)
    invoice.paid_micros, invoice.status = invoice.due_micros, Invoice.Status.PAID
    invoice.notified_at = invoice.paid_at = timezone.now()
    with unit_of_work(invoice.tenant_id):
        assert as_pdf(whole(invoice).paper) == first
    with pikepdf.open(BytesIO(first)) as document:
        times = set(re.findall(r"\d{4}-\d{2}-\d{2}T[\d:]+", document.Root.Metadata.read_bytes().decode()))
        assert times == {"2025-03-04T00:00:00"}
        assert "/Info" not in document.trailer


def test_a_long_one_carries_its_head_and_numbers_its_pages(issue: Issue) -> None:
    lines = [line(text=f"model-{place}, pages") for place in range(500)]
    invoice = issue(lines)
    pages = pages_of(pdf_of(invoice))
    assert len(pages) > 5
    for place, page in enumerate(pages, start=1):
        assert f"{place} / {len(pages)}" in page
        assert invoice.number in page
        assert ("Unit price" in page) or place == len(pages)
    found = "\n".join(pages)
    assert all(f"model-{place}, pages" in found for place in range(500))
    assert found.count("Amount due") == 1


def test_it_is_archival_with_its_fonts_and_its_title(issue: Issue) -> None:
    invoice = issue(buyer={"name": 'A & B <script> "x"'})
    with pikepdf.open(BytesIO(pdf_of(invoice))) as document, document.open_metadata() as metadata:
        assert metadata["dc:title"] == f"Invoice {invoice.number}"
        assert metadata["dc:description"] == 'Invoice to A & B <script> "x"'
        assert metadata.pdfa_status == "3U"
        assert str(document.Root.Lang) == "en"
        assert all("FontFile2" in " ".join(font) for font in _descriptors(document))


def _descriptors(document: pikepdf.Pdf) -> Iterator[list[str]]:
    for page in document.pages:
        for font in dict(page.Resources.Font).values():
            yield [str(name) for name in dict(font.DescendantFonts[0].FontDescriptor)]


@pytest.mark.parametrize(
    "name",
    [
        "Żółć Łódź Ünïcode",
        "Σωκράτης Α.Ε.",
        "Общество «Чтение»",
        "Công ty Chữ Việt",
        "Īvāns ģimene",
    ],
)
def test_names_in_latin_greek_and_cyrillic_are_read_as_they_were_written(issue: Issue, name: str) -> None:
    assert name in text_of(issue(buyer={"name": name}))


def test_a_name_from_right_to_left_is_shown_from_its_right(issue: Issue) -> None:
    page = pages_of(pdf_of(issue(buyer={"name": "חברה (שלום)", "address": "", "country": ""})))[0]
    assert "חברה" in page
    assert "שלום" in page


@pytest.mark.parametrize(
    "name",
    [
        "中文公司 😀",
        "\u202egnp.exe",
        "a\tb\x07c\nd",
        "W" * 200,
        "לום " * 50,
        "=1+1",
        "<b>x</b>",
        "{pages} ##",
        " ",
    ],
)
def test_no_name_keeps_it_from_being_made(issue: Issue, name: str) -> None:
    invoice = issue(
        [{**FEE, "text": name * (300 // len(name))}],
        buyer={"name": name, "address": "\n".join([name] * 3), "reference": name[:100]},
    )
    assert "Amount due" in text_of(invoice)


def test_one_without_lines_says_so(issue: Issue) -> None:
    assert "No lines." in text_of(issue([]))


def test_a_currency_has_as_many_decimals_as_it_has(issue: Issue) -> None:
    yen = [{**FEE, "exact_micros": 5_000_000_000, "amount_micros": 5_000_000_000}]
    assert "5,500 JPY" in text_of(issue(yen, currency="JPY", tax_micros=500_000_000, tax_rate_bp=1000))
