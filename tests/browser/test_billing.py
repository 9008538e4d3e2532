"""Test that a bookkeeper can open an invoice and download its PDF."""

from pathlib import Path

import pypdfium2
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Windows
from tests.flows.invoices import inserted
from tests.flows.product import Product
from tests.live_stack import RunningStack

pytestmark = pytest.mark.browser


def test_an_invoice_is_opened_and_its_pdf_downloaded(
    windows: Windows, live_stack: RunningStack, tmp_path: Path
) -> None:
    product = Product(live_stack)
    account = product.create_account("Books")
    _, number = inserted(product, account.tenant_id)
    with windows.owner(account) as page:
        page.goto("/")
        page.get_by_role("link", name="Billing").click()
        expect(page.locator("#upcoming, .upcoming")).to_contain_text("Nothing to bill so far")
        page.get_by_role("link", name=number, exact=True).focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_contain_text(number)
        expect(page.locator(".lines tbody tr")).to_have_count(1)
        with page.expect_download() as download:
            page.get_by_role("link", name="PDF").click()
        download.value.save_as(tmp_path / "invoice.pdf")
        with pypdfium2.PdfDocument(tmp_path / "invoice.pdf") as document:
            assert number in document[0].get_textpage().get_text_range()
        assert download.value.suggested_filename == f"{number}.pdf"
    assert windows.complaints == []


@pytest.mark.long
def test_details_are_filled_in_with_the_keyboard(windows: Windows, live_stack: RunningStack) -> None:
    account = Product(live_stack).create_account("Details")
    with windows.owner(account, width=390) as page:
        page.goto("/billing")
        page.locator("#edit-details").press("Enter")
        page.get_by_label("Tax ID").fill("DE1")
        page.get_by_label("Country").fill("de")
        page.keyboard.press("Enter")
        expect(page.get_by_role("status").first).to_contain_text("Saved.")
        expect(page.locator(".details")).to_contain_text("DE1")
    assert windows.complaints == []
