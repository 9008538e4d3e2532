"""Test that a real browser can sign up and sign in through an external OpenID provider, without being stopped by one of
our policies.
"""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.configured import GROUP, Configured

pytestmark = [pytest.mark.browser, GROUP]


@pytest.fixture
def page(browser: Browser, configured: Configured) -> Iterator[Page]:
    context = browser.new_context(base_url=configured.product.running.url)
    yield context.new_page()
    context.close()


@pytest.mark.long
def test_a_person_comes_through_it_for_the_first_time_and_again(page: Page, configured: Configured) -> None:
    provider = configured.provider
    provider.be("ada@company.example")
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda said: complaints.append(said.text))
    page.goto("/sign-in")
    page.get_by_role("button", name="Sign in with Company").click()
    page.wait_for_url("**/sign-up/through")
    page.fill("[name=tenant]", "Company Ltd")
    page.get_by_role("button", name="Create account").click()
    page.wait_for_url("**/jobs")
    page.goto("/account/sign-on")
    expect(page.locator(".belongs")).to_contain_text("ada@company.example")

    page.context.clear_cookies()
    page.goto("/sign-in?next=/usage")
    page.get_by_role("button", name="Sign in with Company").click()
    page.wait_for_url(lambda url: urlsplit(url).path == "/usage")
    assert any(url.startswith(f"{provider.url}/authorize?") for url in asked)
    assert not [said for said in complaints if "Content Security Policy" in said]
