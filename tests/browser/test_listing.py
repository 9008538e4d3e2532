"""Test the list of documents: live updates, search, sorting and changes in bulk, with the whole running product."""

import io
import zipfile
from pathlib import Path

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.conftest import Windows
from tests.flows.product import Account, Product
from tests.live_stack import RunningStack
from tests.samples.pdfs import many_pages_pdf, text_pdf

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def product(live_stack: RunningStack) -> Product:
    return Product(live_stack)


@pytest.fixture(scope="module")
def account(product: Product) -> Account:
    return product.create_account("Reader")


@pytest.fixture
def fresh(product: Product) -> Account:
    """Create an account for a test that counts what is listed."""
    return product.create_account("Counter")


def submit(product: Product, account: Account, name: str, content: bytes) -> str:
    answer = httpx.post(
        f"{product.running.url}/v1/jobs",
        headers={"Authorization": f"Bearer {account.key}"},
        data={"model": "parse"},
        files={"file": (name, content)},
        timeout=30,
    )
    answer.raise_for_status()
    return str(answer.json()["id"])


def texts(product: Product, account: Account, number: int) -> list[str]:
    return [submit(product, account, f"{n}.txt", b"Letter %d to Anna" % n) for n in range(number)]


def faults(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:150]}" for one in found if one["impact"] in ("serious", "critical")
    ]


def test_jobs_sent_elsewhere_appear_and_end_in_every_tab_without_a_reload(
    windows: Windows, product: Product, account: Account
) -> None:
    with windows.owner(account) as page:
        tab = page.context.new_page()
        tab.goto("/jobs")
        for one in (page, tab):
            one.evaluate("window.neverReloaded = true")
        job = submit(product, account, "elsewhere.pdf", text_pdf("From elsewhere"))
        link = page.locator(f"#open-{job}")
        link.focus()
        expect(page.locator(f"#job-{job} .state")).to_have_text("succeeded")
        expect(link).to_be_focused()
        expect(page.locator("#said")).to_have_text("elsewhere.pdf: succeeded")
        tab.bring_to_front()
        expect(tab.locator(f"#job-{job} .state")).to_have_text("succeeded")
        assert all(one.evaluate("window.neverReloaded") for one in (page, tab))
    assert windows.complaints == []


def test_a_lost_connection_is_said_until_it_is_back_and_nothing_is_missed(
    windows: Windows, product: Product, account: Account
) -> None:
    sockets: list[WebSocketRoute] = []
    away = False

    def pass_on(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        if away:
            socket.close(code=1012)
        else:
            socket.connect_to_server()

    with windows.owner(account) as page:
        page.route_web_socket("**/ws/v1/events", pass_on)
        with page.expect_websocket():
            page.reload()
        away = True
        sockets[0].close(code=1012)
        expect(page.locator("#notices")).to_contain_text("Connection lost, reconnecting")
        job = submit(product, account, "meanwhile.txt", b"Dear Anna")
        away = False
        expect(page.locator("#notices")).not_to_contain_text("Connection lost")
        expect(page.locator(f"#job-{job} .state")).to_have_text("succeeded")


def test_hidden_columns_stay_hidden_in_this_browser(windows: Windows, product: Product, fresh: Account) -> None:
    texts(product, fresh, 1)
    with windows.owner(fresh, width=1440) as page:
        cost, sender = page.locator("#job-rows .col-cost"), page.locator("#job-rows .col-sender")
        expect(cost).to_be_visible()
        expect(sender).to_be_hidden()
        page.get_by_text("Columns", exact=True).first.click()
        page.get_by_label("Cost", exact=True).uncheck()
        page.get_by_label("Sender", exact=True).check()
        for _ in range(2):
            expect(cost).to_be_hidden()
            expect(sender).to_be_visible()
            page.reload()
        page.get_by_text("Columns", exact=True).first.click()
        assert page.get_by_label("Cost", exact=True).is_checked() is False
        assert faults(page) == []
        page.set_viewport_size({"width": 390, "height": 800})
        expect(sender).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert windows.complaints == []


@pytest.mark.long
def test_what_is_looked_for_stands_in_the_address(windows: Windows, product: Product, fresh: Account) -> None:
    jobs = texts(product, fresh, 3)
    with windows.owner(fresh) as page:
        expect(page.locator("#jobs .state.succeeded")).to_have_count(3)
        page.evaluate("window.neverReloaded = true")
        page.keyboard.press("/")
        expect(page.locator("#q")).to_be_focused()
        page.keyboard.type("letter 1")
        page.wait_for_url("**/jobs?q=letter+1")
        expect(page.locator("#job-rows > tr")).to_have_count(1)
        expect(page.locator(f"#job-{jobs[1]} mark").first).to_have_text("Letter")
        expect(page.locator("#said")).to_have_text("1 job")
        page.locator("#q").fill("")
        expect(page.locator("#job-rows > tr")).to_have_count(3)
        page.get_by_role("link", name="Document", exact=True).click()
        page.wait_for_url("**/jobs?sort=name")
        expect(page.locator("th[aria-sort=ascending]")).to_have_text("Document")
        expect(page.locator("#job-rows .name").first).to_have_text("0.txt")
        page.get_by_role("link", name="Canceled").click()
        page.wait_for_url("**/jobs?state=canceled&sort=name")
        page.click("#clear-filters")
        expect(page.locator("#job-rows > tr")).to_have_count(3)
        assert page.input_value("#sort") == ""
        assert page.evaluate("window.neverReloaded") is True
        page.goto("/jobs?q=nobody")
        assert page.input_value("#q") == "nobody"
    assert windows.complaints == []


@pytest.mark.long
def test_search_and_filters_work_without_scripts(windows: Windows, product: Product, fresh: Account) -> None:
    texts(product, fresh, 2)
    with windows.owner(fresh, scripts=False) as page:
        page.fill("#q", "1.txt")
        page.press("#q", "Enter")
        page.wait_for_url("**/jobs?q=1.txt**")
        assert page.locator("#job-rows > tr").count() == 1


def test_many_are_selected_and_changed_at_once(
    windows: Windows, product: Product, fresh: Account, tmp_path: Path
) -> None:
    jobs = texts(product, fresh, 4)
    with windows.owner(fresh) as page:
        expect(page.locator("#jobs .state.succeeded")).to_have_count(4)
        running = submit(product, fresh, "long.pdf", many_pages_pdf(300))
        page.check(f"#pick-{jobs[3]}")
        page.click(f"#pick-{jobs[1]}", modifiers=["Shift"])
        expect(page.locator("#picked-count")).to_have_text("3 selected")
        expect(page.locator("[data-bulk$=cancel]")).to_be_disabled()
        page.check(f"#pick-{running}")
        expect(page.locator("[data-bulk$=cancel]")).to_have_text("Cancel 1")
        expect(page.locator("[data-bulk$=retry]")).to_be_disabled()
        expect(page.locator(f"#job-{running} .state")).to_have_text("running")
        expect(page.locator("#picked-count")).to_have_text("4 selected")
        expect(page.locator(f"#pick-{running}")).to_be_checked()
        assert faults(page) == []
        with page.expect_download() as download:
            page.click("[data-bulk=archive]")
        archive = zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes()))
        assert "3.txt/text.txt" in archive.namelist()
        page.click("[data-bulk$=cancel]")
        expect(page.locator("#notices")).to_contain_text("1 canceled, 3 already finished.")
        expect(page.locator(f"#job-{running} .state")).to_have_text("canceled")
        expect(page.locator("#bulk")).to_be_hidden()
    assert windows.complaints == []


def test_documents_are_deleted_after_their_consequences_were_named(
    windows: Windows, product: Product, fresh: Account
) -> None:
    texts(product, fresh, 2)
    with windows.owner(fresh) as page:
        expect(page.locator("#jobs .state.succeeded")).to_have_count(2)
        page.locator("#pick-all").focus()
        page.keyboard.press("Space")
        page.click("[data-bulk$=delete]")
        dialog = page.locator("#confirm")
        expect(dialog).to_contain_text("Delete 2 files of 2 jobs?")
        expect(dialog).to_contain_text("deleted permanently")
        assert faults(page) == []
        page.keyboard.press("Escape")
        expect(page.locator("#job-rows > tr")).to_have_count(2)
        page.click("[data-bulk$=delete]")
        page.click("#confirm-yes")
        expect(page.locator("#first")).to_be_visible()
        expect(page.locator("#notices")).to_contain_text("Deleted 2 files of 2 jobs.")
    assert windows.complaints == []


@pytest.mark.long
def test_on_a_phone_the_bar_of_selected_rows_stands_above_the_places(
    windows: Windows, product: Product, account: Account
) -> None:
    job = submit(product, account, f"{'long_name_' * 12}.txt", b"wide " * 40)
    with windows.owner(account, width=390) as page:
        page.check(f"#pick-{job}")
        bar, places = page.locator("#bulk").bounding_box(), page.locator(".places nav").bounding_box()
        assert bar is not None
        assert places is not None
        assert bar["y"] + bar["height"] <= places["y"]
        root = "document.documentElement"
        assert page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")
