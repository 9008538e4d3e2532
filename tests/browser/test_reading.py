"""Test a job's page as a reader uses it: page by page and line by line, with keys and pointer, with the whole
product.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pypdfium2
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.becoming import until
from tests.browser.conftest import Windows
from tests.live_stack import RunningStack
from tests.samples.pdfs import many_pages_pdf, one_broken_page_pdf, small_scans, text_pdf

pytestmark = pytest.mark.browser

PAGES = 45
LEAF = "document.getElementById('leaf')"
SETTLED = """() => {
  window.settled = new Promise((done) => document.addEventListener("htmx:afterSettle", done, { once: true }))
      .then(() => true);
}"""


def submit(stack: RunningStack, name: str, content: bytes) -> str:
    answer = httpx.post(
        f"{stack.url}/v1/jobs",
        # A cached result would not run again.
        headers={"Authorization": f"Bearer {stack.demo['MAAS_API_KEY']}", "Cache-Control": "no-store"},
        data={"model": "parse"},
        files={"file": (name, content)},
        timeout=30,
    )
    answer.raise_for_status()
    return str(answer.json()["id"])


@pytest.fixture(scope="module")
def book(live_stack: RunningStack) -> str:
    """Submit a document with a text layer, so that its pages are read quickly."""
    texts = [f"Chapter {number}\nIt was a dark night.\nThe end of {number}." for number in range(1, PAGES + 1)]
    return submit(live_stack, "book.pdf", text_pdf(*texts))


@pytest.fixture
def reader(windows: Windows, book: str) -> Iterator[Page]:
    """Open the page of the finished document."""
    with windows.member() as page:
        page.goto(f"/jobs/{book}")
        expect(page.locator("#job .state")).to_have_text("succeeded")
        expect(page.locator("#lines")).to_contain_text("Chapter 1")
        page.evaluate("window.neverReloaded = true")
        yield page
    assert windows.complaints == []


def expect_page(page: Page, number: int) -> None:
    expect(page.locator("#leaf-title")).to_have_text(f"Page {number} of {PAGES}")
    expect(page.locator("#strip [aria-current=page]")).to_contain_text(str(number))


def test_a_scan_is_read_while_one_watches_and_has_no_serious_fault(windows: Windows, live_stack: RunningStack) -> None:
    with windows.member() as page:
        page.goto(f"/jobs/{submit(live_stack, 'scan.pdf', small_scans('INVOICE 17'))}")
        page.evaluate("window.neverReloaded = true")
        expect(page.locator("#job .state")).to_have_text("succeeded")
        expect(page.locator("#lines")).to_contain_text("INVOICE")
        until(page, "document.querySelector('.stage img')?.naturalWidth > 0")
        expect(page.locator(".sure").first).to_be_hidden()
        page.check("#show-confidence")
        expect(page.locator(".sure").first).to_have_text(re.compile(r"(9\d|100) %"))
        assert page.evaluate("window.neverReloaded") is True
        assert serious_faults(page) == []
    assert windows.complaints == []


@pytest.mark.long
def test_confidence_stays_from_page_to_page_and_leaves_the_keys_alone(
    windows: Windows, live_stack: RunningStack
) -> None:
    with windows.member() as page:
        page.goto(f"/jobs/{submit(live_stack, 'scans.pdf', small_scans('Seven bridges', 'Nine rivers'))}")
        expect(page.locator("#job .state")).to_have_text("succeeded")
        page.check("#show-confidence")
        for number, key in ((2, "ArrowRight"), (1, "ArrowLeft")):
            page.evaluate(SETTLED)
            page.keyboard.press(key)
            expect(page.locator("#leaf-title")).to_have_text(f"Page {number} of 2")
            page.evaluate("window.settled")
            expect(page.locator("#show-confidence")).to_be_checked()
            expect(page.locator(".sure").first).to_be_visible()
    assert windows.complaints == []


def serious_faults(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [fault["id"] for fault in found if fault["impact"] in ("serious", "critical")]


def test_lines_and_picture_point_at_each_other(reader: Page) -> None:
    line, shape = reader.locator("#line-2"), reader.locator("polygon[data-line='2']")
    line.hover()
    expect(shape).to_have_class("lit")
    shape.hover()
    expect(line).to_have_class("lit")
    shape.click()
    expect(line).to_have_attribute("aria-selected", "true")
    expect(shape).to_have_class("lit pinned")
    reader.locator("#line-1").focus()
    reader.keyboard.press("ArrowDown")
    reader.keyboard.press("ArrowDown")
    expect(reader.locator("#line-3")).to_be_focused()
    expect(reader.locator("polygon[data-line='3']")).to_have_class("lit")
    reader.keyboard.press("Enter")
    expect(reader.locator("#line-3")).to_have_attribute("aria-selected", "true")
    expect(line).to_have_attribute("aria-selected", "false")


@pytest.mark.long
def test_one_goes_from_page_to_page_by_keys_links_and_numbers(reader: Page) -> None:
    reader.keyboard.press("ArrowRight")
    expect_page(reader, 2)
    expect(reader).to_have_url(re.compile(r"\?page=2$"))
    reader.keyboard.press("PageDown")
    expect_page(reader, 3)
    reader.keyboard.press("End")
    expect_page(reader, PAGES)
    reader.fill("#go", "21")
    reader.press("#go", "Enter")
    expect_page(reader, 21)
    expect(reader.locator("#thumb-20")).to_have_count(0)
    reader.click("#strip-earlier a")
    expect_page(reader, 20)
    assert reader.evaluate("window.neverReloaded") is True
    reader.go_back()
    expect_page(reader, 21)


@pytest.mark.long
def test_a_link_to_a_page_behind_a_hash_opens_it(reader: Page, book: str) -> None:
    reader.goto(f"/jobs/{book}#page-7")
    expect_page(reader, 7)


def test_what_was_searched_for_is_in_view_on_every_page_that_has_it(reader: Page, book: str) -> None:
    reader.set_viewport_size({"width": 1100, "height": 500})
    reader.goto(f"/jobs/{book}?page=3&q=end")
    for number in (3, 4):
        expect(reader.locator("#leaf-title")).to_have_text(f"Page {number} of {PAGES}")
        expect(reader.locator("#lines mark")).to_have_text("end")
        expect(reader.locator("#lines mark")).to_be_in_viewport()
        expect(reader.locator("polygon.found")).to_have_attribute("data-line", "3")
        reader.keyboard.press("ArrowRight")


@pytest.mark.long
def test_looking_closer_lasts_from_page_to_page(reader: Page) -> None:
    def width() -> float:
        box = reader.locator(".sheet").bounding_box()
        assert box is not None
        return box["width"]

    fitted = width()
    reader.keyboard.press("+")
    assert width() == pytest.approx(fitted * 1.25, rel=0.01)
    reader.click("#next")
    expect_page(reader, 2)
    assert width() == pytest.approx(fitted * 1.25, rel=0.01)
    reader.locator("#stage").hover()
    reader.keyboard.down("Control")
    reader.mouse.wheel(0, -300)
    reader.keyboard.up("Control")
    assert width() > fitted * 2
    before = reader.evaluate("stage.scrollTop")
    reader.mouse.down()
    reader.mouse.move(500, 300, steps=4)
    reader.mouse.up()
    assert reader.evaluate("stage.scrollTop") != before
    reader.keyboard.press("0")
    assert width() == pytest.approx(fitted, rel=0.01)


def test_a_job_is_taken_home_as_files_and_by_the_clipboard(reader: Page, tmp_path: Path) -> None:
    for words, name in (("Text", "book.txt"), ("Searchable PDF", "book-searchable.pdf")):
        reader.click(".pick summary")
        with reader.expect_download() as download:
            reader.get_by_role("link", name=words, exact=True).click()
        assert download.value.suggested_filename == name
        download.value.save_as(tmp_path / name)
        reader.keyboard.press("Escape")
    pdf = pypdfium2.PdfDocument(tmp_path / "book-searchable.pdf")
    assert pdf[44].get_textpage().get_text_range().startswith("Chapter 45")
    reader.context.grant_permissions(["clipboard-read", "clipboard-write"])
    reader.click("[data-copy-page=text]")
    expect(reader.locator("[data-copy-page=text]")).to_have_text("Copied")
    assert reader.evaluate("navigator.clipboard.readText()").startswith("Chapter 1\nIt was")


@pytest.mark.long
def test_what_one_reads_stays_while_other_pages_come_in(windows: Windows, live_stack: RunningStack) -> None:
    job = submit(live_stack, "long.pdf", many_pages_pdf(300))
    with windows.member() as page:
        page.goto(f"/jobs/{job}")
        expect(page.locator("#leaf[data-state=succeeded]")).to_have_count(1)
        page.evaluate(f"window.mine = {LEAF}")
        done = page.locator("#course label")
        before = done.inner_text()
        expect(done).not_to_have_text(before)
        assert page.evaluate(f"window.mine === {LEAF}")
        assert serious_faults(page) == []
        page.click("#cancel")
        expect(page.locator("#job .state")).to_have_text("canceled")
        page.click("#retry")
        page.wait_for_url(lambda url: job not in url)
        expect(page.locator("#about")).to_contain_text("Retry of")
        page.click("#cancel")
        expect(page.locator("#job .state")).to_have_text("canceled")
    assert windows.complaints == []


def test_a_page_that_failed_says_why_and_is_retried_in_a_new_job(windows: Windows, live_stack: RunningStack) -> None:
    job = submit(live_stack, "broken.pdf", one_broken_page_pdf())
    with windows.member() as page:
        page.goto(f"/jobs/{job}?page=2")
        expect(page.locator("#job .state")).to_have_text("partially succeeded")
        expect(page.locator(".failure")).to_contain_text("document_corrupt")
        assert serious_faults(page) == []
        page.click("#retry")
        page.wait_for_url(lambda url: job not in url)
        expect(page.locator("#about")).to_contain_text("Retry of")
    assert windows.complaints == []


@pytest.mark.long
def test_pages_are_read_without_javascript_too(
    browser: Browser, windows: Windows, live_stack: RunningStack, book: str
) -> None:
    with windows.member() as signed_in:
        cookies = signed_in.context.storage_state()
    context = browser.new_context(base_url=live_stack.url, storage_state=cookies, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/jobs/{book}?page=2")
    page.click("#next")
    expect(page.locator("#lines")).to_contain_text("Chapter 3")
    page.fill("#go", "30")
    page.press("#go", "Enter")
    expect(page.locator("#lines")).to_contain_text("Chapter 30")
    context.close()


@pytest.mark.long
def test_nothing_is_wider_than_a_phone(windows: Windows, live_stack: RunningStack, book: str) -> None:
    job = submit(live_stack, f"{'long_name_' * 12}.pdf", text_pdf("wide " * 40))
    with windows.member(width=390) as page:
        for address in (f"/jobs/{job}", f"/jobs/{book}", "/jobs/none"):
            page.goto(address)
            root = "document.documentElement"
            assert page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth"), address
