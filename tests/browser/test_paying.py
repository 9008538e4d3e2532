"""Test payments in a browser: on a stand-in's page, with a card that was saved there, and by a transfer that an
operator records.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.configured import GROUP, Configured
from tests.browser.conftest import TIMEOUT_MS, Windows
from tests.flows.product import Account, Product
from tests.kept_cluster import PROJECT
from tests.services import without_product
from tests.stand_in_stripe import StandIn

pytestmark = [pytest.mark.browser, GROUP]
_INVOICE = """
from uuid import UUID
from tests.tenants.billing.payments.conftest import Payer
print(Payer(UUID("{tenant}")).invoice({euros}).id)
"""
LIST = re.compile(r"/admin/tenants/payment/(\?.*)?$")


@pytest.fixture(scope="module")
def stand_in(configured: Configured) -> StandIn:
    return configured.stripe


@pytest.fixture(scope="module")
def product(configured: Configured) -> Product:
    return configured.product


@pytest.fixture(scope="module")
def account(product: Product) -> Account:
    return product.create_account("Payer")


@pytest.fixture
def windows(browser: Browser, product: Product) -> Windows:
    expect.set_options(timeout=TIMEOUT_MS)
    return Windows(browser, product.running)


def invoice_of(product: Product, account: Account, euros: int) -> str:
    script = _INVOICE.format(tenant=account.tenant_id, euros=euros)
    # It imports what tests import, which the product's own commands do without.
    home = {"MAAS_HOME": str(product.running.home), "PYTHONPATH": ""}
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", script],
        cwd=PROJECT,
        env={**without_product(os.environ), **product.variables, **home},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def pay(page: Page, invoice_id: str, provider: str) -> None:
    """Send the same form as the button on the invoice's page."""
    page.goto("/billing/payments")
    page.evaluate(
        """([invoice, provider]) => {
            const form = document.querySelector("form[action$='/sign-out']").cloneNode(true);
            form.action = `/billing/invoices/${invoice}/pay`;
            form.insertAdjacentHTML("beforeend", `<input name="provider" value="${provider}">`);
            document.body.append(form);
            form.submit();
        }""",
        [invoice_id, provider],
    )


def look(page: Page, name: str) -> None:
    """Save screenshots, if a folder for them is set."""
    folder = os.environ.get("MAAS_TEST_PICTURES")
    if not folder:
        return
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            page.screenshot(path=Path(folder) / f"{name}-{width}-{theme}.png", full_page=True)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(color_scheme="light")


@pytest.mark.long
def test_credit_is_paid_on_the_providers_page(
    windows: Windows, stand_in: StandIn, product: Product, account: Account
) -> None:
    with windows.owner(account) as page:
        page.goto("/billing/top-up")
        look(page, "top-up")
        page.fill("[name=amount]", "25")
        page.click("#confirm")
        page.wait_for_url(f"{stand_in.url}/c/pay/**")
        expect(page.locator("h1")).to_have_text("2500 eur")
        page.go_back()
        page.goto("/billing/payments")
        page.get_by_role("link", name="Credit", exact=True).click()
        expect(page.locator("#standing .badge")).to_have_text("pending")
        look(page, "payment-waits")
        page.click("#onward")
        page.click("#pay")
        page.wait_for_url("**/billing/payments/*")
        # The page asks by itself, without an event.
        expect(page.locator("#standing .badge")).to_have_text("paid")
        look(page, "payment-paid")
    balance = "SELECT available_micros FROM tenants_wallet WHERE tenant_id = %s"
    assert product.rows(balance, account.tenant_id) == [(25_000_000,)]
    assert windows.complaints == []


@pytest.mark.long
def test_a_transfer_pays_once_an_operator_has_recorded_it(windows: Windows, product: Product, account: Account) -> None:
    invoice_id = invoice_of(product, account, 100)
    with windows.owner(account) as page:
        pay(page, invoice_id, "offline")
        page.wait_for_url("**/billing/payments/*")
        reference = page.locator("#reference").inner_text()
        look(page, "transfer")
        address = page.url
        with windows.operator() as office:
            office.goto("/admin/tenants/payment/")
            office.fill("#searchbar", reference)
            office.press("#searchbar", "Enter")
            office.locator("#result_list a[href*='/admin/tenants/payment/']").first.click()
            office.fill("[name=came_in]", "130")
            look(office, "admin-transfer")
            office.get_by_role("button", name="Save", exact=True).click()
            office.wait_for_url(LIST)
        page.goto(address)
        expect(page.locator("#standing .badge")).to_have_text("paid")
        expect(page.get_by_text("30.00 €", exact=True)).to_be_visible()
        page.goto("/billing/payments")
        look(page, "payments")
    status = "SELECT status, paid_micros FROM tenants_invoice WHERE id = %s"
    assert product.rows(status, invoice_id) == [("paid", 100_000_000)]
    assert windows.complaints == []


@pytest.mark.long
def test_a_card_is_saved_and_pays_the_next_invoice(windows: Windows, product: Product, account: Account) -> None:
    with windows.owner(account) as page:
        page.goto("/billing/card")
        look(page, "card-none")
        page.click("#save")
        page.click("#pay")
        expect(page.locator("#card")).to_have_text("visa •••• 4242, 12/30")
        look(page, "card-saved")
        invoice_id = invoice_of(product, account, 60)
        with windows.operator() as office:
            office.goto("/admin/tenants/payment/")
            row = office.locator("#result_list tr", has_text="stripe, saved card")
            for _ in range(40):  # the scheduler collects every minute
                if row.count():
                    break
                office.wait_for_timeout(2500)
                office.reload()
            expect(row).to_contain_text("succeeded")
            look(office, "admin-payments")
            row.locator("a[href*='/admin/tenants/payment/']").first.click()
            office.fill("[name=give_back]", "10")
            office.fill("[name=reason]", "a complaint")
            look(office, "admin-refund")
            office.get_by_role("button", name="Save", exact=True).click()
            office.wait_for_url(LIST)
        page.goto("/billing/payments")
        expect(page.get_by_text("10.00 € refunded")).to_be_visible()
        page.goto("/billing/card")
        page.click("#remove")
        expect(page.locator("#save")).to_be_visible()
    status = "SELECT status FROM tenants_invoice WHERE id = %s"
    assert product.rows(status, invoice_id) == [("paid",)]
    assert windows.complaints == []
