"""Test that a person can make a key, use it, rotate it and revoke it."""

import re

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import grave_faults
from tests.browser.conftest import Windows
from tests.fixtures import unique
from tests.live_stack import RunningStack
from tests.waiting import eventually

pytestmark = pytest.mark.browser


def make_key(page: Page, name: str) -> str:
    page.goto("/keys")
    page.click("#new-key")
    page.fill("[name=name]", name)
    page.click("#key-form button[type=submit]")
    return page.locator("#whole-key").inner_text()


def status_with(stack: RunningStack, key: str) -> int:
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.get(f"{stack.url}/v1/models", headers=headers, timeout=30).status_code


def last_use_of_newest(page: Page) -> str:
    page.goto("/keys")
    return page.locator("#working-keys td[data-label='Last used']").first.inner_text()


def test_a_key_is_made_copied_rotated_and_revoked(windows: Windows, live_stack: RunningStack) -> None:
    name = unique("scanner")
    with windows.member() as page:
        page.goto("/keys/new")
        assert grave_faults(page) == []
        key = make_key(page, name)
        assert status_with(live_stack, key) == 200
        assert grave_faults(page) == []
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.click("[data-copy=whole-key]")
        expect(page.locator("[data-copy=whole-key]")).to_have_text("Copied")
        assert page.evaluate("navigator.clipboard.readText()") == key

        page.goto("/keys")
        page.get_by_role("link", name=f"Rotate {name}").click()
        expect(page.get_by_role("dialog", name=f"Rotate “{name}”")).to_be_visible()
        assert grave_faults(page) == []
        page.click("dialog #confirm")
        successor = page.locator("#whole-key").inner_text()
        assert {status_with(live_stack, one) for one in (key, successor)} == {200}

        eventually(lambda: last_use_of_newest(page) != "never", "the successor's last use")
        expect(page.locator("#working-keys")).to_contain_text("replaced")
        page.get_by_role("link", name=f"Revoke {name}").first.click()
        dialog = page.get_by_role("dialog", name=re.compile("Revoke"))
        expect(dialog).to_contain_text("Last used")
        dialog.get_by_text("Revoke key").click()
        expect(page.get_by_role("status").first).to_contain_text("was revoked")
        eventually(lambda: status_with(live_stack, successor) == 401, "the end of the key", timeout_s=5)
    assert windows.complaints == []


def test_a_key_leaves_with_its_page(windows: Windows) -> None:
    with windows.member() as page:
        key = make_key(page, unique("once"))
        page.reload()
        expect(page.locator("#working-keys")).to_be_visible()
        assert key not in page.content()
        page.go_back()
        assert key not in page.content()


def test_keys_are_made_and_revoked_without_scripts(windows: Windows) -> None:
    """This uses the demo account's pages, in a browser that runs no scripts."""
    with windows._window(1280, scripts=False) as page:
        page.goto("/sign-in")
        windows._sign_in(page, "MAAS_EMAIL", "MAAS_PASSWORD")
        page.wait_for_url("**/jobs")
        name = unique("plain")
        assert make_key(page, name).startswith("maas_live_")
        page.goto("/keys")
        page.get_by_role("link", name=f"Revoke {name}").click()
        page.click("#confirm")
        expect(page.get_by_role("status").first).to_contain_text("was revoked")
