"""Test a passkey of a real browser: it is made, used in place of the password, used as second step, and removed."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.flows.product import Account, Product
from tests.live_stack import RunningStack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def product(live_stack: RunningStack) -> Product:
    return Product(live_stack)


@pytest.fixture
def page(browser: Browser, product: Product) -> Iterator[Page]:
    """Return a page that uses the host name, because browsers bind passkeys only to names. The device confirms by
    itself, like a finger.
    """
    url = product.running.url.replace("127.0.0.1", "localhost")
    context = browser.new_context(base_url=url)
    page = context.new_page()
    device = context.new_cdp_session(page)
    device.send("WebAuthn.enable")
    device.send(
        "WebAuthn.addVirtualAuthenticator",
        {
            "options": {
                "protocol": "ctap2",
                "transport": "internal",
                "hasResidentKey": True,
                "hasUserVerification": True,
                "isUserVerified": True,
                "automaticPresenceSimulation": True,
            }
        },
    )
    yield page
    context.close()


def sign_in(page: Page, account: Account) -> None:
    page.goto("/sign-in")
    page.fill("[name=username]", account.email)
    page.fill("[name=password]", account.password)
    page.press("[name=password]", "Enter")


@pytest.mark.long
def test_a_passkey_stands_for_the_password_and_for_the_code(page: Page, product: Product) -> None:
    account = product.create_account("Keyholder")
    sign_in(page, account)
    page.wait_for_url("**/jobs")
    page.goto("/account/two-factor/passkeys/new")
    page.fill("[name=password]", account.password)
    page.press("[name=password]", "Enter")
    page.fill("[name=name]", "blue key")
    page.get_by_role("button", name="Add passkey").click()
    page.wait_for_url("**/account/two-factor/codes")
    page.goto("/account/two-factor")
    expect(page.locator(".passkeys")).to_contain_text("blue key")

    page.context.clear_cookies()
    page.goto("/sign-in?next=/usage")
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url(lambda url: url.endswith("/usage") and "sign-in" not in url)

    page.context.clear_cookies()
    sign_in(page, account)
    page.wait_for_url("**/sign-in/code")
    page.get_by_role("button", name="Use a passkey").click()
    page.wait_for_url("**/jobs")

    page.goto("/account/two-factor")
    page.get_by_role("link", name="Remove blue key").click()
    page.get_by_role("link", name="Use a passkey").click()
    page.get_by_role("button", name="Use a passkey").click()
    page.get_by_role("button", name="Remove").click()
    page.wait_for_url("**/account/two-factor")
    expect(page.locator(".passkeys")).to_have_count(0)
