"""Test the chart of usage, which is drawn under the strict policy, and the data in it."""

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.becoming import until
from tests.browser.conftest import Windows
from tests.live_stack import RunningStack

pytestmark = pytest.mark.browser

PAINTED = "getComputedStyle(document.querySelector('#chart rect.series-1')).fill"


@pytest.mark.long
def test_the_chart_is_drawn_and_follows_the_theme(windows: Windows, live_stack: RunningStack) -> None:
    headers = {"Authorization": f"Bearer {live_stack.demo['MAAS_API_KEY']}", "Prefer": "wait=60"}
    done = httpx.post(
        f"{live_stack.url}/v1/jobs", headers=headers, json={"model": "embed", "input": "one two"}, timeout=90
    )
    assert done.status_code == 200, done.text
    with windows.member() as page:
        page.emulate_media(reduced_motion="reduce", color_scheme="light")
        page.goto("/usage")
        expect(page.locator("#legend li").first).to_be_visible()
        light = page.evaluate(PAINTED)
        assert light.startswith("rgb")
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        until(page, f"light => {PAINTED} !== light", arg=light)
        page.locator("#chart rect.series-1").last.hover()
        expect(page.locator("#told")).to_contain_text(": ")
        page.locator("#measures label").last.click()
        page.get_by_text("Table by day").click()
        expect(page.get_by_role("region", name="Usage by day")).to_be_visible()
        with page.expect_download() as download:
            page.click("#csv")
        assert download.value.suggested_filename.startswith("usage-")
        page.get_by_role("link", name="12 months").press("Enter")
        expect(page.get_by_role("heading", name="By month")).to_be_visible()
        expect(page.locator("#legend li").first).to_be_visible()
        page.get_by_text("Chart data", exact=True).click()
        expect(page.get_by_role("columnheader", name="Month (UTC)").first).to_be_visible()
        page.get_by_text("Table by month").click()
        page.locator("#days a").first.press("Enter")
        expect(page.get_by_role("heading", name="By day")).to_be_visible()
        page.get_by_text("Table by day").click()
        page.locator("#days a").first.press("Enter")
        expect(page.get_by_role("columnheader", name="Time")).to_be_visible()
    assert windows.complaints == []
