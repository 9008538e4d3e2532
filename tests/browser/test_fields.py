"""Test how a clerk reads and corrects the fields of an invoice, and filters documents by them."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import faults_in_looks
from tests.browser.conftest import Windows
from tests.flows.caller import Caller
from tests.flows.product import Account, Product
from tests.live_stack import RunningStack
from tests.samples.pdfs import text_pdf

pytestmark = pytest.mark.browser
INVOICE = """Schreinerei Huber Innenausbau und Möbelwerkstatt GmbH
Waldweg 5, 83022 Rosenheim
Café Lindner e.K.
Am Markt 3
10115 Berlin
RECHNUNG
Rechnungsnummer: RE-2024-0815
Rechnungsdatum: 15.01.2024
Nettobetrag 100,00 €
MwSt. 19 % 19,00 €
Gesamtbetrag 119,00 €
IBAN: DE02 1203 0000 0000 2020 51"""


@pytest.fixture(scope="module")
def product(live_stack: RunningStack) -> Product:
    return Product(live_stack)


@pytest.fixture
def clerk(product: Product) -> Account:
    return product.create_account("Clerk")


def read(caller: Caller) -> str:
    job = caller.submit_file(text_pdf(INVOICE), wait_s=30).json()
    return str(caller.ended(job["id"])["id"])


def edit(page: Page, name: str) -> None:
    page.locator(f"#line-f-{name}").click()
    page.keyboard.press("e")


def width_of_input(page: Page) -> float:
    box = page.locator(".correcting input").bounding_box()
    assert box is not None
    return box["width"]


def hidden_width(page: Page) -> int:
    """Return the pixels of the table of fields that only scrolling shows."""
    found: int = page.evaluate(
        "(({scrollWidth, clientWidth}) => scrollWidth - clientWidth)(document.querySelector('#fields .scroll'))"
    )
    return found


def test_a_value_is_corrected_on_a_phone_in_a_wide_input(windows: Windows, product: Product, clerk: Account) -> None:
    with product.caller(clerk) as caller, windows.owner(clerk, width=390) as page:
        page.goto(f"/jobs/{read(caller)}?tab=fields")
        page.get_by_role("button", name="Text", exact=True).click()
        for name in ("net", "supplier", "iban"):
            edit(page, name)
            assert width_of_input(page) > 160, name
            assert list(faults_in_looks(page)) == []
            page.keyboard.press("Escape")
    assert windows.complaints == []


def test_a_refusal_is_in_plain_words_and_goes_when_the_value_is_saved(
    windows: Windows, product: Product, clerk: Account
) -> None:
    with product.caller(clerk) as caller, windows.owner(clerk, width=1440) as page:
        page.goto(f"/jobs/{read(caller)}?tab=fields")
        assert hidden_width(page) == 0
        edit(page, "net")
        page.fill(".correcting input", "abc")
        page.keyboard.press("Enter")
        toast = page.locator(".toast.bad span")
        expect(toast).to_have_text("Net is 'abc', but must be an amount, such as 1234.50.")
        page.fill(".correcting input", "90,00 €")
        page.keyboard.press("Enter")
        expect(page.locator("#line-f-net.corrected")).to_be_visible()
        expect(toast).to_have_count(0)
        for name in ("tax", "total"):
            expect(page.locator(f"#line-f-{name}")).to_have_class("cell unsure")
        assert hidden_width(page) == 0
    assert all("400" in complaint for complaint in windows.complaints)


def test_a_bad_filter_stays_in_the_form_with_the_reason(windows: Windows, product: Product, clerk: Account) -> None:
    with product.caller(clerk) as caller, windows.owner(clerk, width=1440) as page:
        read(caller)
        page.goto("/jobs")
        page.locator("#by-field summary").click()
        comparison = page.locator("#filter-comparison")
        page.select_option("#filter-field", label="Total")
        expect(comparison.locator("option:enabled")).to_have_text(["is", "at least", "at most"])
        page.select_option("#filter-comparison", label="at least")
        page.fill("#filter-value", "1.000,50")
        page.keyboard.press("Enter")
        expect(page.locator("#filter-fault")).to_have_text(
            "Total at least: “1.000,50” must be a number, such as 100 or 99.50."
        )
        expect(page.locator("#filter-value")).to_have_value("1.000,50")
        page.fill("#filter-value", "100.50")
        page.keyboard.press("Enter")
        expect(page.locator(".field-filters")).to_contain_text("Total at least 100.50")
        expect(page.locator("#filter-fault")).to_have_text("")
        expect(page.locator("#filter-value")).to_have_value("")
        page.select_option("#filter-field", label="Due date")
        expect(comparison.locator("option:enabled")).to_have_text(["is", "from the day", "to the day"])
        expect(comparison).to_have_value("")
        page.fill("#filter-value", "soon")
        page.select_option("#filter-comparison", label="to the day")
        page.click("#field-filter button")
        expect(page.locator("#filter-fault")).to_contain_text("“soon” must be a day")
        expect(page.locator(".field-filters a")).to_have_count(1)
        assert list(faults_in_looks(page)) == []
        page.goto("/jobs?field.total.min=abc")
        expect(page.locator(".left-out")).to_contain_text("“abc” must be a number")
        expect(page.locator("#job-rows tr")).to_have_count(1)
        assert list(faults_in_looks(page)) == []
    assert windows.complaints == []
