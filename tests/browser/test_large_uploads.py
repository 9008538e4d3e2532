"""Test files that are too large for one request and are sent from the list of the running product."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Windows
from tests.browser.test_uploads import line
from tests.flows.product import Account, Product
from tests.live_stack import RunningStack
from tests.samples.pdfs import CATALOG, FONT, page, pages, pdf, stream
from tests.waiting import eventually

pytestmark = pytest.mark.browser
PIECE = 8 * 2**20
PADDING = 18 * 2**20


@pytest.fixture(scope="module")
def product(live_stack: RunningStack) -> Product:
    return Product(live_stack)


@pytest.fixture
def account(product: Product) -> Account:
    return product.create_account("Hauler")


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Return the path of a PDF of one page, with a large stream that nothing refers to."""
    words = stream(b"BT /F1 24 Tf 72 700 Td (Very large) Tj ET")
    file = tmp_path / "large.pdf"
    file.write_bytes(pdf([CATALOG, pages([5]), FONT, words, page(4), stream(b"x" * PADDING)]))
    return file


def test_it_goes_on_where_a_reload_cut_it_off(windows: Windows, account: Account, large: Path) -> None:
    before: list[int] = []
    after: list[int] = []
    with windows.owner(account) as tab:
        tab.route("**/v1/uploads/*", lambda route: by_method(route, counted(before, most=1)))
        tab.set_input_files("#file", large)
        expect(line(tab, "large.pdf").locator(".words")).to_contain_text("Continuing in")
        tab.on("dialog", lambda dialog: dialog.accept())
        tab.reload()
        begun = line(tab, "large.pdf")
        expect(begun).to_have_class("begun")
        expect(begun.locator(".words")).to_contain_text("44 % uploaded")
        tab.unroute_all()
        tab.route("**/v1/uploads/*", lambda route: by_method(route, counted(after)))
        tab.set_input_files("#file", large)
        expect(line(tab, "large.pdf")).to_have_class("accepted")
        expect(tab.locator("#uploads > li")).to_have_count(1)
        tab.unroute_all()
        tab.reload()
        expect(tab.locator("#tray")).to_be_hidden()
    assert before[0] == 0
    assert after == [PIECE, 2 * PIECE]
    assert windows.complaints == []


@pytest.mark.long
def test_a_connection_that_breaks_off_costs_one_piece(windows: Windows, account: Account, large: Path) -> None:
    sent: list[int] = []

    def broken_once(route: Route) -> None:
        sent.append(int(route.request.headers["upload-offset"]))
        if len(sent) == 2:
            route.abort("connectionreset")
        else:
            route.continue_()

    with windows.owner(account) as tab:
        tab.route("**/v1/uploads/*", lambda route: by_method(route, broken_once))
        tab.set_input_files("#file", large)
        expect(line(tab, "large.pdf")).to_have_class("accepted")
    assert sent == [0, PIECE, PIECE, 2 * PIECE]


@pytest.mark.long
def test_what_was_begun_can_be_given_up(windows: Windows, product: Product, account: Account, large: Path) -> None:
    with windows.owner(account) as tab:
        tab.route("**/v1/uploads/*", lambda route: by_method(route, lambda _: None))
        with tab.expect_request(lambda request: request.method == "PATCH"):
            tab.set_input_files("#file", large)
        begun = line(tab, "large.pdf")
        begun.get_by_role("button", name="Cancel").click()
        with tab.expect_response(lambda answer: answer.request.method == "DELETE"):
            begun.get_by_role("button", name="Remove").click()
        expect(tab.locator("#tray")).to_be_hidden()
        expect_states(product, account, "terminated")


def by_method(route: Route, patched: Callable[[Route], None]) -> None:
    if route.request.method == "PATCH":
        patched(route)
    else:
        route.continue_()


def counted(sent: list[int], most: int = 1000) -> Callable[[Route], None]:
    """Return a handler that records the offsets of the parts that are sent, and breaks the connection after `most`
    parts.
    """

    def count(route: Route) -> None:
        sent.append(int(route.request.headers["upload-offset"]))
        if len(sent) <= most:
            route.continue_()
        else:
            route.abort("connectionreset")

    return count


def expect_states(product: Product, account: Account, *states: str) -> None:
    eventually(lambda: states_of(product, account) == list(states), f"uploads that are {states}")


def states_of(product: Product, account: Account) -> list[str]:
    rows = product.rows("SELECT state FROM jobs_resumableupload WHERE tenant_id = %s", account.tenant_id)
    return [str(row[0]) for row in rows]
