"""Test a job's page as a reader uses it: page by page and line by line, with keys and pointer, with the whole
product.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import psycopg
import pypdfium2
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.becoming import until
from tests.browser.conftest import Windows
from tests.live_stack import RunningStack
from tests.samples.pdfs import many_pages_pdf, one_broken_page_pdf, small_scans, text_pdf
from tests.waiting import eventually

pytestmark = pytest.mark.browser

PAGES = 45
# A finished page never changes, so a job with hand-made results is a copy of one that the product read.
COPY_JOB = """
INSERT INTO jobs_job SELECT (jsonb_populate_record(job, jsonb_build_object('id', %(new)s::text))).*
FROM jobs_job job WHERE id = %(old)s::uuid
"""
COPY_PAGE = """
INSERT INTO jobs_page
SELECT (jsonb_populate_record(page, jsonb_build_object(
    'id', gen_random_uuid(), 'job_id', %(new)s::text, 'cache_key', NULL, 'result', %(result)s::jsonb))).*
FROM jobs_page page WHERE job_id = %(old)s::uuid AND number = %(number)s
"""
COPY_EVENT = """
INSERT INTO jobs_event (tenant_id, job_id, seq, type, data, created_at)
SELECT tenant_id, %(new)s::uuid, seq, type, data, created_at FROM jobs_event WHERE job_id = %(old)s::uuid AND seq = 1
"""
BOX = [[100, 100], [500, 100], [500, 140], [100, 140]]
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


def lines(*confidences: float) -> list[dict[str, object]]:
    found = enumerate(confidences, 1)
    return [{"text": f"Line {number}", "box": BOX, "confidence": sure} for number, sure in found]


@pytest.fixture
def doubtful(live_stack: RunningStack) -> str:
    """Return a job of two pages with a place to check on each, and a warning on the second."""
    old, new = submit(live_stack, "two.pdf", text_pdf("One", "Two")), str(uuid4())
    eventually(lambda: state_of(live_stack, old) == "succeeded", "the job's end")
    kind = {"label": "invoice", "probabilities": {"invoice": 0.93, "letter": 0.07}}
    result = {"text": "Line 1\nLine 2", "source": "ocr", "needs_review": True, "class": kind}
    warnings = [{"code": "handwriting", "message": "", "box": BOX}]
    results = [{**result, "lines": lines(0.9, 0.4)}, {**result, "lines": lines(0.5, 0.9), "warnings": warnings}]
    services = json.loads((live_stack.home / "run" / "services.json").read_text())
    with psycopg.connect(services["MAAS_DATABASE_URL"], options="-c role=maas_operator") as rows:
        for statement in (COPY_JOB, COPY_EVENT):
            rows.execute(statement, {"new": new, "old": old})
        for number, found in enumerate(results, 1):
            values = {"new": new, "old": old, "number": number, "result": json.dumps(found)}
            rows.execute(COPY_PAGE, values)
    return new


def state_of(stack: RunningStack, job: str) -> str:
    headers = {"Authorization": f"Bearer {stack.demo['MAAS_API_KEY']}"}
    return str(httpx.get(f"{stack.url}/v1/jobs/{job}", headers=headers).json()["state"])


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
    expect(line).to_have_class("line lit")
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


def test_places_to_check_are_walked_through_and_corrected(windows: Windows, doubtful: str) -> None:
    with windows.member() as page:
        page.goto(f"/jobs/{doubtful}")
        expect(page.locator("[data-check=next]")).to_have_text("To check: 3")
        page.keyboard.press("n")
        expect(page.locator("[data-check=next]")).to_have_text("1 of 3 · Next")
        expect(page.locator("#line-2")).to_have_attribute("aria-selected", "true")
        assert serious_faults(page) == []
        page.keyboard.press("e")
        page.fill(".correcting input", "Second line")
        page.keyboard.press("Escape")
        expect(page.locator("#line-2 .text")).to_have_text("Line 2")
        page.click("#edit-line")
        page.fill(".correcting input", "Second line")
        page.keyboard.press("Enter")
        expect(page.locator("#line-2 .text")).to_have_text("Second line")
        expect(page.locator("#quality")).to_have_text("Checked")
        expect(page.locator("polygon[data-line='2']")).not_to_have_class("unsure")
        page.keyboard.press("n")
        expect(page.locator("#leaf-title")).to_have_text("Page 2 of 2")
        expect(page.locator("[data-check=next]")).to_have_text("1 of 2 · Next")
        expect(page.locator("#line-w1")).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("n")
        expect(page.locator("[data-check=next]")).to_have_text("2 of 2 · Done")
        page.click("#confirm-line")
        expect(page.locator("#corrections")).to_contain_text("confirmed")
        page.click(".pick-of-class summary")
        page.click("[data-correct-class=letter]")
        expect(page.locator("#kind")).to_have_text("Letter")
        page.click("#corrections summary")
        page.locator("[data-undo]").first.click()
        expect(page.locator("#kind")).to_have_text("Invoice · 93 %")
        page.keyboard.press("n")
        expect(page.locator("#notices")).to_contain_text("That was the last place to check")
    assert windows.complaints == []


def test_tabs_are_moved_through_by_keys_and_stay_from_page_to_page(reader: Page) -> None:
    reader.locator("#tab-text").focus()
    reader.keyboard.press("ArrowRight")
    expect(reader.locator("#panel")).to_contain_text("No fields were found")
    expect(reader.locator("#tab-fields")).to_be_focused()
    reader.keyboard.press("ArrowRight")
    expect(reader.locator("pre.json")).to_contain_text('"number": 1')
    expect(reader.locator("#tab-json")).to_be_focused()
    expect(reader).to_have_url(re.compile(r"tab=json"))
    reader.click("#next")
    expect_page(reader, 2)
    expect(reader.locator("pre.json")).to_contain_text('"number": 2')
    reader.click("#tab-text")
    expect(reader.locator("#lines")).to_contain_text("Chapter 2")
    assert reader.evaluate("window.neverReloaded") is True


def test_a_phone_shows_the_picture_or_the_text(windows: Windows, book: str) -> None:
    with windows.member(width=390) as page:
        page.goto(f"/jobs/{book}")
        expect(page.locator("#stage")).to_be_visible()
        expect(page.locator("#lines")).to_be_hidden()
        page.click("[data-side-of=words]")
        expect(page.locator("#lines")).to_be_visible()
        expect(page.locator("#stage")).to_be_hidden()
        page.click("#next")
        expect(page.locator("#lines")).to_contain_text("Chapter 2")
        expect(page.locator("#stage")).to_be_hidden()
    assert windows.complaints == []


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
        reader.locator(".pick summary", has_text="Download").click()
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
