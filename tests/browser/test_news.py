"""Test what an open page does if its notifications are lost between the browser and the running product."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from tests.browser.conftest import TIMEOUT_MS, Windows
from tests.browser.test_listing import submit
from tests.flows.product import Account, Product
from tests.live_stack import RunningStack
from tests.waiting import eventually

pytestmark = pytest.mark.browser

WITHOUT_THE_MINUTE = """
const setReal = window.setInterval.bind(window);
window.setInterval = (work, ms) => (ms >= 60000 ? 0 : setReal(work, ms));
"""
"""A script that disables the page's update every minute, which would hide that a notification was lost."""


@pytest.fixture(scope="module")
def product(live_stack: RunningStack) -> Product:
    return Product(live_stack)


@pytest.fixture
def account(product: Product) -> Account:
    return product.create_account("Listener")


@pytest.fixture
def page(windows: Windows, account: Account) -> Iterator[Page]:
    with windows.owner(account) as page:
        page.add_init_script(WITHOUT_THE_MINUTE)
        yield page
    assert windows.complaints == []


def end(product: Product, job: str) -> None:
    """Wait for the job's end without using the page."""

    def ended() -> bool:
        return product.rows("SELECT state FROM jobs_job WHERE id = %s", job) == [("succeeded",)]

    eventually(ended, "the job's end", TIMEOUT_MS / 1000)


@dataclass
class Trouble:
    """A fault in the requests by which a page updates itself, but not in the load of the page."""

    how: str
    on: bool = True
    met: list[Route] = field(default_factory=list)

    def __call__(self, route: Route) -> None:
        if route.request.resource_type != "fetch" or not self.on:
            route.fallback()
            return
        self.met.append(route)
        if self.how == "refused":
            route.fulfill(status=503)
        elif self.how == "cut":
            route.abort()
        else:
            assert self.how == "hangs"


@pytest.mark.parametrize(
    "how",
    [
        "hangs",
        *(pytest.param(how, marks=pytest.mark.long) for how in ("refused", "cut")),
    ],
)
def test_a_page_shows_the_end_though_its_reading_came_to_nothing(
    page: Page, product: Product, account: Account, how: str
) -> None:
    told: list[str] = []

    def hear(frame: str | bytes) -> None:
        told.append(str(frame))

    page.on("websocket", lambda socket: socket.on("framereceived", hear))
    with page.expect_websocket():
        page.reload()
    expect(page.locator("#jobs")).to_be_visible()
    trouble = Trouble(how)
    page.route("**/jobs", trouble)
    job = submit(product, account, "elsewhere.txt", b"Dear Anna")
    while "job.succeeded" not in "".join(told):
        page.wait_for_timeout(50)
    # This was the last notification, and the request that the page sends because of it fails.
    met = len(trouble.met)
    page.wait_for_timeout(100)
    while len(trouble.met) == met:
        page.wait_for_timeout(50)
    trouble.on = False
    expect(page.locator(f"#job-{job} .state")).to_have_text("succeeded", timeout=15_000)


def test_a_page_whose_subscription_is_refused_is_read_again(page: Page, product: Product, account: Account) -> None:
    """A database that is unavailable for a moment refuses a subscription. The page is then not notified of what
    happened before.
    """
    job = submit(product, account, "elsewhere.txt", b"Dear Anna")
    end(product, job)
    asked: list[str | bytes] = []
    sockets: list[WebSocketRoute] = []

    def open_alone(socket: WebSocketRoute) -> None:
        sockets.append(socket)

        def hear(said: str | bytes) -> None:
            asked.append(said)

        socket.on_message(hear)
        socket.send(json.dumps({"type": "ready", "cursor": "1-0"}))

    page.route_web_socket("**/ws/v1/events", open_alone)
    page.goto(f"/jobs/{job}")
    while not asked:
        page.wait_for_timeout(50)
    assert json.loads(asked[0])["subscribe"] == job
    with page.expect_request(lambda request: request.resource_type == "fetch" and job in request.url):
        sockets[0].send(json.dumps({"type": "error", "code": "database_unavailable", "detail": "Away."}))


@pytest.mark.long
def test_a_socket_that_fell_silent_is_replaced(page: Page, product: Product, account: Account) -> None:
    sockets: list[WebSocketRoute] = []
    told: list[str] = []
    silent = False

    def pass_on(socket: WebSocketRoute) -> None:
        first = not sockets
        sockets.append(socket)
        server = socket.connect_to_server()

        def tell(said: str | bytes) -> None:
            if not (first and silent):
                told.append(json.loads(said)["type"])
                socket.send(said)

        server.on_message(tell)
        socket.on_message(lambda said: None if first and silent else server.send(said))

    page.clock.install()
    page.route_web_socket("**/ws/v1/events", pass_on)
    with page.expect_response(lambda answer: answer.request.resource_type == "fetch"):
        page.reload()  # Read again once the socket is ready.
    silent = True
    job = submit(product, account, "elsewhere.txt", b"Dear Anna")
    end(product, job)
    page.clock.run_for(17_500)  # It is asked,
    assert len(sockets) == 1
    page.clock.run_for(12_500)  # and has not answered.
    expect(page.locator(f"#job-{job} .state")).to_have_text("succeeded")
    assert len(sockets) == 2
    page.clock.run_for(17_500)
    while "pong" not in told:
        page.wait_for_timeout(50)
    page.clock.run_for(12_500)
    assert len(sockets) == 2  # This one answers.
