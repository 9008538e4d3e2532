"""Test what a person sees when something is refused, broken or unavailable."""

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from maas.web.errors.api_errors import problem
from maas.web.errors.error_pages import bare_page
from tests.browser.accessibility import grave_faults
from tests.browser.becoming import until
from tests.browser.conftest import Windows
from tests.live_stack import RunningStack

pytestmark = pytest.mark.browser


def kept_by_the_worker(page: Page) -> list[str]:
    """Return the addresses of everything in the browser's caches."""
    return list(
        page.evaluate("""async () => {
            const caches_ = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
            const requests = await Promise.all(caches_.map((cache) => cache.keys()));
            return requests.flat().map(({ url }) => new URL(url).pathname);
        }""")
    )


def go_offline(context: BrowserContext, page: Page) -> None:
    page.evaluate("navigator.serviceWorker.ready")
    until(page, "navigator.serviceWorker.controller !== null")
    context.set_offline(True)


def test_without_a_connection_one_is_told_and_comes_back_to_where_one_was(windows: Windows) -> None:
    with windows.member() as page:
        go_offline(page.context, page)
        page.goto("/keys?from=here")
        expect(page.get_by_role("heading", name="No connection")).to_be_visible()
        assert page.evaluate("getComputedStyle(document.querySelector('.error')).paddingTop") == "32px"
        assert grave_faults(page) == []
        page.context.set_offline(False)
        expect(page.get_by_role("heading", name="API keys")).to_be_visible()
        assert page.url.endswith("/keys?from=here")


def test_nothing_of_a_signed_in_person_is_kept(windows: Windows) -> None:
    with windows.member() as page:
        page.evaluate("navigator.serviceWorker.ready")
        for address in ("/keys", "/usage", "/log", "/jobs"):
            page.goto(address)
        kept = kept_by_the_worker(page)
        assert "/offline" in kept
        assert all(path == "/offline" or path.startswith("/static/") for path in kept)
        page.click(".account > summary")
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url("**/sign-in*")
        page.context.set_offline(True)
        page.goto("/keys")
        expect(page.get_by_role("heading", name="No connection")).to_be_visible()


def test_a_page_that_is_away_for_a_moment_is_asked_for_again_by_itself(windows: Windows) -> None:
    away = bare_page(problem("database_unavailable", "The database is away.", retry_after_s=1), "/keys?moment")
    asked: list[str] = []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 1:
            route.fulfill(status=503, body=away, content_type="text/html")
        else:
            route.continue_()

    with windows.member() as page:
        page.context.route("**/keys?moment", answer)
        page.goto("/keys?moment")
        expect(page.get_by_role("heading", name="API keys")).to_be_visible()


def test_an_address_that_is_nothing_offers_a_way_back(windows: Windows, live_stack: RunningStack) -> None:
    with windows.member() as page:
        page.goto("/usage")
        page.evaluate("() => { location.href = '/nowhere' }")
        expect(page.get_by_role("heading", name="Page not found")).to_be_visible()
        page.click("#back")
        expect(page.get_by_role("heading", name="Usage")).to_be_visible()
    assert windows.complaints == []


def test_a_key_in_an_address_is_refused_on_a_page_for_people(live_stack: RunningStack) -> None:
    answer = httpx.get(f"{live_stack.url}/jobs?api_key=x", headers={"Accept": "text/html"})
    assert answer.status_code == 400
    assert "Never put a key in an address" in answer.text
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert httpx.get(f"{live_stack.url}/jobs?api_key=x").headers["content-type"] == "application/problem+json"


def test_a_password_can_be_shown_and_what_is_wrong_is_tied_to_its_field(windows: Windows) -> None:
    with windows._window(1280) as page:
        page.goto("/sign-in")
        assert grave_faults(page) == []
        page.fill("[name=password]", "secret words")
        page.click("[data-shows]")
        expect(page.locator("[name=password]")).to_have_attribute("type", "text")
        page.fill("[name=username]", "nobody@example.com")
        page.press("[name=username]", "Enter")
        expect(page.get_by_role("alert")).to_contain_text("Wrong email or password")
    assert windows.complaints == []
