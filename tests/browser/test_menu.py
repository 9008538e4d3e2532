"""Test the menu of the dashboard in its form as a bar at the bottom of a phone's page."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Windows

pytestmark = pytest.mark.browser


@pytest.mark.long
def test_a_phone_shows_four_links_and_opens_the_others_with_more(windows: Windows) -> None:
    with windows.member(width=390) as page:
        menu = page.get_by_role("navigation", name="Main")
        more = menu.get_by_role("button", name="More")
        expect(menu.get_by_role("link")).to_have_count(4)
        more.press("Enter")
        last = menu.get_by_role("link", name="Audit log")
        expect(last).to_be_in_viewport(ratio=1)
        page.keyboard.press("Tab")
        expect(menu.get_by_role("link").nth(4)).to_be_focused()
        page.keyboard.press("Escape")
        expect(last).to_be_hidden()
        expect(more).to_be_focused()
        more.click()
        last.click()
        page.wait_for_url("**/audit")
        expect(more).to_have_attribute("aria-current", "true")
        page.set_viewport_size({"width": 1280, "height": 800})
        expect(more).to_be_hidden()
        expect(last).to_be_visible()
    assert windows.complaints == []
