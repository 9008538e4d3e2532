"""Test ZIP files of documents that are sent from the list, and the results of each file in them, with the running
product.
"""

import re

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.browser.conftest import Windows
from tests.browser.test_uploads import line
from tests.flows.product import Account, Product
from tests.jobs.archives.packing import packed
from tests.live_stack import RunningStack
from tests.samples.pdfs import text_pdf

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def product(live_stack: RunningStack) -> Product:
    return Product(live_stack)


@pytest.fixture(scope="module")
def account(product: Product) -> Account:
    return product.create_account("Packer")


def choose(page: Page, name: str, content: bytes) -> None:
    page.set_input_files("#file", FilePayload(name=name, mimeType="application/zip", buffer=content))


def test_a_zip_file_is_unpacked_and_each_file_in_it_says_what_came_of_it(
    windows: Windows, product: Product, account: Account
) -> None:
    content = packed([("letter.pdf", text_pdf("Dear Anna")), ("folder/", b""), ("junk.bin", b"\0\1\2")])
    with windows.owner(account) as page:
        page.select_option("#model", "parse")
        page.click(".options summary")
        page.get_by_label("Priority").select_option("interactive")
        page.keyboard.press("Escape")
        choose(page, "post.zip", content)
        expect(line(page, "post.zip").locator(".words")).to_have_text("Uploaded: 3 files")
        line(page, "post.zip").get_by_role("link", name="Open").click()
        expect(page.get_by_role("heading", name="post.zip")).to_be_visible()
        expect(page.locator("#archive")).to_contain_text("3 of 3 unpacked: 1 done, 1 skipped, 1 failed")
        expect(page.locator("#entry-1")).to_contain_text("succeeded")
        expect(page.locator("#entry-2")).to_contain_text("Folder, skipped.")
        expect(page.locator("#entry-3 .fault")).not_to_be_empty()
        expect(page.locator("#archive")).not_to_have_attribute("hx-trigger", "every 2s")
        page.locator("#open-1").focus()
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_contain_text("Dear Anna")
        page.goto("/archives")
        expect(page.locator("main")).to_contain_text("post.zip")
    rows = product.rows("SELECT model, priority FROM jobs_archive WHERE tenant_id = %s", account.tenant_id)
    assert rows == [("parse@1", 1)]
    assert windows.complaints == []


def test_what_is_wrong_with_a_zip_file_stands_beside_it(windows: Windows, account: Account) -> None:
    with windows.owner(account) as page:
        choose(page, "broken.zip", b"PK\3\4 and nothing more")
        expect(line(page, "broken.zip")).to_have_class("refused")
        page.click(".options summary")
        page.fill("#expires-after", "1h")
        page.keyboard.press("Enter")
        choose(page, "timed.zip", packed([("a.txt", b"a")]))
        expect(line(page, "timed.zip").locator(".words")).to_contain_text("cannot expire or be canceled after a time")
    assert windows.complaints == []


def test_times_to_be_done_by_go_with_what_is_sent_and_wrong_ones_send_nothing(
    windows: Windows, product: Product, account: Account
) -> None:
    letter = FilePayload(name="timed.txt", mimeType="text/plain", buffer=b"Dear Berta")
    with windows.owner(account) as page:
        page.click(".options summary")
        page.fill("#expires-after", "soon")
        page.fill("#cancel-after", "2h")
        page.set_input_files("#file", letter)
        expect(page.locator("#notices")).to_contain_text("is not a time. Enter a number with s, m, h or d")
        expect(page.locator("#expires-after")).to_be_focused()
        expect(page.locator("#uploads > li")).to_have_count(0)
        page.fill("#expires-after", "1D")
        expect(page.locator(".options summary")).to_have_text("Options (2)")
        page.set_input_files("#file", letter)
        line(page, "timed.txt").get_by_role("link", name="Open").click()
        page.wait_for_url(re.compile("/jobs/.+"))
    ((expires_s, cancel_s),) = product.rows(
        "SELECT extract(epoch FROM j.expires_at - j.created_at), extract(epoch FROM j.cancel_at - j.created_at)"
        " FROM jobs_job j JOIN jobs_document d ON d.id = j.document_id"
        " WHERE j.tenant_id = %s AND d.name = 'timed.txt'",
        account.tenant_id,
    )
    assert (round(expires_s, -1), round(cancel_s, -1)) == (86_400, 7_200)
    assert windows.complaints == []


@pytest.mark.long
def test_the_header_is_one_row_whose_button_opens_the_options(windows: Windows, account: Account) -> None:
    with windows.owner(account) as page:
        header = page.locator(".title")
        parts = [
            header.get_by_role("heading"),
            header.get_by_label("Model"),
            page.locator(".options summary"),
        ]
        middles = [box["y"] + box["height"] / 2 for box in map(Locator.bounding_box, parts) if box]
        assert len(middles) == len(parts)
        assert max(middles) - min(middles) < 10
        assert header.locator(":is(input, select, button, summary):visible").count() == 3
        page.locator(".options summary").press("Enter")
        for label in ("Priority", "Show the price before processing", "Cancel after", "Upload from URL"):
            expect(page.get_by_label(label, exact=True)).to_be_visible()
        page.set_viewport_size({"width": 390, "height": 844})
        root = "document.documentElement"
        assert not page.evaluate(f"{root}.scrollWidth > {root}.clientWidth")
        page.keyboard.press("Escape")
        expect(page.locator("#cancel-after")).to_be_hidden()
