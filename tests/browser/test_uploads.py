"""Test how documents are sent from the list, with the whole running product."""

import io
import re
import zipfile

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from maas_client import Client as MaasClient
from tests.browser.conftest import Windows
from tests.flows.product import Account, Product
from tests.inference.class_sets.papers import result
from tests.live_stack import RunningStack
from tests.samples.pdfs import text_pdf
from tests.waiting import eventually

pytestmark = pytest.mark.browser

# This script sends the events that dragging or pasting files causes, because no test tool can do that.
HANDS = """([files, kind]) => {
    const held = new DataTransfer();
    for (const [name, text] of files) held.items.add(new File([text], name, { type: "text/plain" }));
    const options = { bubbles: true, cancelable: true };
    document.querySelector("main").dispatchEvent(
        kind === "paste"
            ? new ClipboardEvent("paste", { ...options, clipboardData: held })
            : new DragEvent(kind, { ...options, dataTransfer: held }));
}"""
WARNS = """() => !window.dispatchEvent(new Event("beforeunload", { cancelable: true }))"""


@pytest.fixture(scope="module")
def product(live_stack: RunningStack) -> Product:
    return Product(live_stack)


@pytest.fixture(scope="module")
def account(product: Product) -> Account:
    """Create an account for the whole module. No two tests send the same document."""
    return product.create_account("Sender")


def choose(page: Page, *files: tuple[str, bytes]) -> None:
    chosen = [{"name": name, "mimeType": "text/plain", "buffer": content} for name, content in files]
    page.set_input_files("#file", chosen)  # type: ignore[arg-type]  # a list of payloads


def line(page: Page, name: str) -> Locator:
    return page.locator("#tray li").filter(has=page.get_by_text(name, exact=True))


def jobs_on(product: Product, account: Account, name: str) -> int:
    found = product.rows(
        "SELECT count(*) FROM jobs_job j JOIN jobs_document d ON d.id = j.document_id"
        " WHERE d.tenant_id = %s AND d.name = %s",
        account.tenant_id,
        name,
    )
    return int(found[0][0])


def test_a_new_person_reads_a_scan_with_one_click(windows: Windows, product: Product) -> None:
    with windows.owner(product.create_account("Newcomer")) as page:
        page.click("#read-sample")
        page.wait_for_url(re.compile(r"/jobs/[0-9a-f-]{36}"))
        expect(page.locator("main")).to_contain_text("INVOICE")
    assert windows.complaints == []


def test_files_are_sorted_by_the_default_class_set_unless_another_is_chosen(windows: Windows, product: Product) -> None:
    account = product.create_account("Sorter")
    with MaasClient(product.running.url, account.key) as client:
        client.class_sets.create("mail")
        for kind in ("invoice", "offer"):
            jobs = [client.run("parse", text_pdf(result(kind, seed)["text"])).id for seed in range(5)]
            client.class_sets.add("mail", kind, jobs)
        client.class_sets.train("mail")
        client.class_sets.change("mail", default=True)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("packed.txt", b"An offer in a ZIP file")
    with windows.owner(account) as page:
        expect(page.locator("#class-set")).to_have_value("mail")
        expect(page.locator("#options-used")).to_have_text("")
        choose(page, ("sorted.txt", b"An offer"), ("scans.zip", packed.getvalue()))
        expect(line(page, "sorted.txt")).to_contain_text("Uploaded")
        page.click("details.options > summary")
        page.select_option("#class-set", "")
        expect(page.locator("#options-used")).to_have_text(" (1)")
        choose(page, ("unsorted.txt", b"Another offer"))
        expect(line(page, "unsorted.txt")).to_contain_text("Uploaded")
        expect(line(page, "scans.zip")).to_contain_text("Uploaded")
        eventually(lambda: jobs_on(product, account, "packed.txt") or None, "the file in the ZIP file has a job")
    sets = {
        name: product.rows(
            "SELECT class_set FROM jobs_job j JOIN jobs_document d ON d.id = j.document_id"
            " WHERE d.tenant_id = %s AND d.name = %s",
            account.tenant_id,
            name,
        )[0][0]
        for name in ("sorted.txt", "packed.txt", "unsorted.txt")
    }
    assert sets == {"sorted.txt": "mail@1", "packed.txt": "mail@1", "unsorted.txt": ""}
    assert windows.complaints == []


def test_of_many_files_each_says_what_became_of_it(windows: Windows, product: Product, account: Account) -> None:
    with windows.owner(account) as page:
        page.evaluate("document.getElementById('upload').dataset.mostBytes = 20000")
        letter = ("letter.txt", b"Dear Anna")
        choose(
            page,
            letter,
            ("copy of letter.txt", b"Dear Anna"),
            ("broken.pdf", b"%PDF-1.7 and nothing more"),
            ("empty.txt", b""),
            ("long.txt", b"x" * 20_001),
        )
        expect(line(page, "broken.pdf").locator(".words")).to_contain_text("damaged")
        expect(line(page, "empty.txt").locator(".words")).to_contain_text("0 bytes")
        expect(line(page, "long.txt").locator(".words")).to_contain_text("19.5 KB. The limit is")
        expect(page.locator("#uploads .accepted")).to_have_count(1)
        expect(page.locator("#uploads .skipped .words")).to_contain_text("Same file as")
        expect(page.locator("#tray-words")).to_have_text("1 uploaded, 3 failed")
    sent = jobs_on(product, account, "letter.txt"), jobs_on(product, account, "copy of letter.txt")
    assert sorted(sent) == [0, 1]
    assert windows.complaints == []


def test_failed_uploads_stay_after_a_reload_until_they_are_removed(windows: Windows, account: Account) -> None:
    with windows.owner(account) as page:
        page.route("**/v1/documents", lambda route: route.abort())
        choose(page, ("kept.txt", b"Dear Anna"), ("empty.txt", b""))
        expect(line(page, "kept.txt")).to_contain_text("could not be reached")
        page.reload()
        expect(page.locator("#tray-words")).to_have_text("2 failed")
        expect(line(page, "empty.txt")).to_contain_text("0 bytes")
        line(page, "kept.txt").get_by_role("button", name="Remove").click()
        page.reload()
        expect(line(page, "empty.txt")).to_be_visible()
        expect(line(page, "kept.txt")).to_have_count(0)
        page.click("#clear-uploads")
        page.reload()
        expect(page.locator("#upload")).to_be_visible()
        expect(page.locator("#tray")).to_be_hidden()
    assert windows.complaints == []


def test_the_cost_is_told_before_anything_is_sent_and_follows_the_model(windows: Windows, account: Account) -> None:
    with windows.owner(account, width=390) as page:
        cost = page.get_by_role("status").and_(page.locator("#cost"))
        expect(cost).to_contain_text("A document of 20 pages costs")
        page.select_option("#model", "ocr")
        expect(cost).to_contain_text("costs at most 0.02 € now")
        page.locator("#model option[value=ocr]").evaluate("option => option.dataset.meter = 'token'")
        page.locator("#model").dispatch_event("change")
        expect(cost).to_contain_text("known only after processing")
    assert windows.complaints == []


def test_who_wants_to_be_asked_reads_nothing_before_its_cost_was_told(
    windows: Windows, product: Product, account: Account
) -> None:
    def pdf(name: str, *pages: str) -> tuple[str, bytes]:
        return name, text_pdf(*(f"{name} {page}" for page in pages))

    with windows.owner(account) as page:
        page.select_option("#model", "ocr")
        page.click(".options summary")
        box = page.get_by_label("Show the price before processing")
        box.focus()
        page.keyboard.press("Space")
        expect(page.locator(".options summary")).to_have_text("Options (1)")
        choose(page, pdf("asked.pdf", "1", "2", "3"))
        asked = line(page, "asked.pdf")
        expect(asked.locator(".words")).to_have_text("3 pages, at most 0.01 €.")
        expect(page.locator("#tray-words")).to_contain_text("1 to confirm")
        expect(asked.locator(".words")).to_have_attribute("title", "0.003 €")
        assert jobs_on(product, account, "asked.pdf") == 0
        asked.get_by_role("button", name="Process").press("Enter")
        expect(asked.locator(".words")).to_have_text("Uploaded")
        expect(page.get_by_role("heading", name="Uploads")).to_be_focused()
        choose(page, pdf("one.pdf", "1"), pdf("other.pdf", "1", "2"), ("many.zip", b"PK nothing"))
        expect(page.locator("#offered-cost")).to_have_text("")
        expect(line(page, "many.zip").locator(".words")).to_contain_text("known only when it is unpacked")
        line(page, "many.zip").get_by_role("button", name="Skip").click()
        expect(page.locator("#offered-cost")).to_have_text("Total: 3 pages, at most 0.01 €.")
        page.get_by_role("button", name="Process all 2").click()
        expect(page.locator("#uploads .accepted")).to_have_count(3)
        page.reload()
        expect(page.locator("#ask-first")).to_be_checked()
        expect(page.locator(".options summary")).to_have_text("Options (1)")
        expect(page.locator("#model")).to_have_value("ocr")
    assert [jobs_on(product, account, f"{name}.pdf") for name in ("asked", "one", "other")] == [1, 1, 1]
    assert windows.complaints == []


def test_a_file_that_was_read_is_offered_before_it_is_paid_for_again(
    windows: Windows, product: Product, account: Account
) -> None:
    with windows.owner(account) as page:
        choose(page, ("contract.txt", b"Between A and B"))
        row = page.locator("#job-rows > tr", has_text="contract.txt")
        expect(row.locator(".state")).to_have_text("succeeded")
        page.reload()
        choose(page, ("contract again.txt", b"Between A and B"))
        known = line(page, "contract again.txt")
        expect(known.locator(".words")).to_contain_text("Already uploaded: “contract.txt” was processed with parse")
        assert jobs_on(product, account, "contract.txt") == 1
        known.get_by_role("button", name="Process again").click()
        expect(known.locator(".words")).to_have_text("Uploaded, already stored as “contract.txt”")
    assert jobs_on(product, account, "contract.txt") == 2


def test_a_job_whose_answer_was_lost_is_not_made_twice(windows: Windows, product: Product, account: Account) -> None:
    def lose_the_answer(route: Route) -> None:
        route.fetch()
        route.abort()

    with windows.owner(account) as page:
        page.route("**/v1/jobs", lose_the_answer, times=1)
        choose(page, ("note.txt", b"Buy paper"))
        note = line(page, "note.txt")
        expect(note.locator(".words")).to_contain_text("could not be reached")
        note.get_by_role("button", name="Retry").click()
        expect(note.locator(".words")).to_have_text("Uploaded")
    assert jobs_on(product, account, "note.txt") == 1


def test_three_files_are_under_way_at_once_and_any_can_be_taken_back(windows: Windows, account: Account) -> None:
    with windows.owner(account) as page:
        page.route("**/v1/documents", lambda route: None)
        choose(page, *((f"{number}.txt", b"%d" % number) for number in range(12)), ("empty.txt", b""))
        expect(page.locator("#uploads .waiting")).to_have_count(9)
        expect(line(page, "empty.txt")).to_be_in_viewport()
        expect(page.locator("#tray-words")).to_have_text("12 of 13 to upload, 1 failed")
        expect(page.locator("#uploads :is(.sending, .checking)")).to_have_count(3)
        assert page.evaluate(WARNS) is True
        line(page, "0.txt").get_by_role("button", name="Cancel").click()
        expect(line(page, "0.txt").locator(".words")).to_have_text("Canceled")
        expect(page.locator("#uploads .waiting")).to_have_count(8)
        page.click("#cancel-uploads")
        expect(page.locator("#uploads .canceled")).to_have_count(12)
        assert page.evaluate(WARNS) is False


@pytest.mark.long
def test_files_are_dropped_anywhere_or_pasted(windows: Windows, account: Account) -> None:
    with windows.owner(account) as page:
        page.evaluate(HANDS, [[["a.txt", "held over the page"]], "dragover"])
        expect(page.locator("#drop")).to_contain_text("Drop to upload")
        page.evaluate(HANDS, [[["dropped.txt", "Let it fall"]], "drop"])
        expect(page.locator("#drop")).to_be_hidden()
        page.evaluate(HANDS, [[["pasted.txt", "Let it stick"]], "paste"])
        for name in ("dropped.txt", "pasted.txt"):
            expect(line(page, name)).to_have_class("accepted")


@pytest.mark.long
def test_the_model_chosen_last_is_chosen_next_time(windows: Windows, account: Account) -> None:
    with windows.owner(account) as page:
        assert page.input_value("#model") == "parse"
        page.select_option("#model", "ocr")
        page.reload()
        assert page.input_value("#model") == "ocr"


@pytest.mark.long
def test_a_progress_bar_counts_bytes(windows: Windows, account: Account) -> None:
    with windows.owner(account) as page:
        network = page.context.new_cdp_session(page)
        network.send("Network.enable")
        slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 100_000}
        network.send("Network.emulateNetworkConditions", slow)
        choose(page, ("slow.pdf", text_pdf("slow") + b"\n%" + b"x" * 1_000_000))
        slow_line = line(page, "slow.pdf")
        expect(slow_line.locator(".size")).to_have_text(re.compile(r"^[1-9][\d.]* KB of 9\d\d\.\d KB$"))
        assert 0 < float(str(slow_line.locator("progress").get_attribute("value"))) < 1_000_000


def test_a_file_that_was_cut_off_is_sent_again_when_the_network_is_back(windows: Windows, account: Account) -> None:
    with windows.owner(account) as page:
        network = page.context.new_cdp_session(page)
        network.send("Network.enable")
        speed = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 100_000}
        network.send("Network.emulateNetworkConditions", speed)
        choose(page, ("cut.pdf", text_pdf("cut") + b"\n%" + b"x" * 1_000_000))
        expect(line(page, "cut.pdf").locator("progress")).to_have_attribute("value", re.compile(r"^[1-9]"))
        network.send("Network.emulateNetworkConditions", {**speed, "offline": True})
        expect(line(page, "cut.pdf")).to_contain_text("Connection lost.")
        network.send("Network.emulateNetworkConditions", {**speed, "uploadThroughput": -1})
        expect(line(page, "cut.pdf")).to_contain_text("Uploaded")
