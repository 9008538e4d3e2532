"""Test the API log while programs send requests."""

from datetime import datetime, timedelta

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accessibility import grave_faults
from tests.browser.conftest import Windows
from tests.fixtures import unique
from tests.live_stack import RunningStack

pytestmark = pytest.mark.browser


def call(stack: RunningStack, path: str) -> None:
    headers = {"Authorization": f"Bearer {stack.demo['MAAS_API_KEY']}"}
    httpx.get(f"{stack.url}{path}", headers=headers, timeout=30)


def row(page: Page, words: str) -> Locator:
    return page.locator("#entries tr", has_text=words)


def test_a_request_appears_by_itself_and_is_read_whole(windows: Windows, live_stack: RunningStack) -> None:
    name = unique("missing")
    with windows.member(width=1440) as page:
        page.goto("/log")
        expect(page.locator("#live-state")).to_have_text("Live")
        call(live_stack, f"/v1/jobs/{name}")
        expect(row(page, name)).to_contain_text("404")
        row(page, name).locator("a").click()
        detail = page.get_by_role("complementary", name="Selected request")
        expect(detail).to_contain_text(f"There is no job '{name}'.")
        expect(detail).to_contain_text("First key")
        assert grave_faults(page) == []
        page.fill("#path", "/v1/models")
        expect(row(page, name)).to_have_count(0)
        assert "path=%2Fv1%2Fmodels" in page.url
    assert windows.complaints == []


@pytest.mark.long
def test_a_paused_log_stands_still_until_it_goes_on(windows: Windows, live_stack: RunningStack) -> None:
    name = unique("paused")
    with windows.member() as page:
        page.goto("/log")
        page.click("#pause")
        expect(page.locator("#live-state")).to_have_text("Paused")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        call(live_stack, f"/v1/jobs/{name}")
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        assert [url for url in asked if "/log" in url] == []
        page.click("#pause")
        expect(row(page, name)).to_be_visible()


@pytest.mark.long
def test_on_a_phone_a_request_has_a_page_of_its_own(windows: Windows, live_stack: RunningStack) -> None:
    name = unique("phone")
    call(live_stack, f"/v1/jobs/{name}")
    with windows.member(width=390) as page:
        page.goto("/log")
        row(page, name).locator("a").click()
        page.wait_for_url("**/log/*")
        expect(page.locator(".logged")).to_contain_text(name)


def test_times_are_in_the_readers_zone_with_utc_on_hover_also_in_what_comes_later(
    windows: Windows, live_stack: RunningStack
) -> None:
    call(live_stack, f"/v1/jobs/{unique('missing')}")
    with windows.member(width=1440) as page:
        zone = page.context.new_cdp_session(page)
        zone.send("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Kolkata"})
        page.goto("/log")
        listed = page.locator("#entries time").first
        page.locator("#entries a").first.click()
        swapped = page.locator("#detail time")
        for time in (listed, swapped):
            expect(time).not_to_contain_text("UTC")
            utc = datetime.strptime(time.get_attribute("title") or "", "%d %b %Y, %H:%M:%S UTC")
            there = datetime.strptime(time.inner_text(), "%d %b %Y, %H:%M:%S")
            assert there - utc == timedelta(hours=5, minutes=30)
    assert windows.complaints == []
