"""Provide a member and an operator of the running product, each in a separate browser window."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, StorageState, ViewportSize, expect

from tests.browser.configured import Configured, running_configured
from tests.flows.product import Account
from tests.live_stack import RunningStack

# A page takes a while on a machine that runs the other tests at the same time.
TIMEOUT_MS = 90_000


class Windows:
    """The signed-in windows of a test, with all errors that the browser reports in any of them."""

    _cookies: ClassVar[dict[tuple[str, str], StorageState]] = {}

    def __init__(self, browser: Browser, stack: RunningStack) -> None:
        self._browser = browser
        self._stack = stack
        self.complaints: list[str] = []

    @contextmanager
    def member(self, width: int = 1280) -> Iterator[Page]:
        demo = self._stack.demo
        with self._signed_in(demo["MAAS_EMAIL"], demo["MAAS_PASSWORD"], "/", width) as page:
            yield page

    @contextmanager
    def owner(self, account: Account, width: int = 1280, scripts: bool = True) -> Iterator[Page]:
        """Open a window for the owner of a tenant that no other test writes to."""
        with self._signed_in(account.email, account.password, "/", width, scripts) as page:
            yield page

    @contextmanager
    def operator(self) -> Iterator[Page]:
        demo = self._stack.demo
        email, password = demo["MAAS_OPERATOR_EMAIL"], demo["MAAS_OPERATOR_PASSWORD"]
        with self._signed_in(email, password, "/admin/", 1280) as page:
            yield page

    @contextmanager
    def _signed_in(self, email: str, password: str, to: str, width: int, scripts: bool = True) -> Iterator[Page]:
        """Open a signed-in window. The first time uses the form, and later times use its cookies, because checking a
        password is slow.
        """
        account = (self._stack.url, email)
        with self._window(width, scripts, self._cookies.get(account)) as page:
            page.goto(to)
            if "/sign-in" in page.url or "/login" in page.url:
                page.fill("[name=username]", email)
                page.fill("[name=password]", password)
                page.press("[name=password]", "Enter")
            page.wait_for_url("**/admin/" if to == "/admin/" else "**/jobs")
            self._cookies[account] = StorageState(cookies=page.context.storage_state()["cookies"], origins=[])
            yield page

    @contextmanager
    def _window(self, width: int, scripts: bool = True, cookies: StorageState | None = None) -> Iterator[Page]:
        size = ViewportSize(width=width, height=800)
        context = self._browser.new_context(
            base_url=self._stack.url, viewport=size, java_script_enabled=scripts, storage_state=cookies
        )
        page = context.new_page()
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        yield page
        context.close()

    def _hear(self, message: ConsoleMessage) -> None:
        # A refused request is logged as an error too, but this check is only for errors of scripts and policies.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)

    def _sign_in(self, page: Page, email: str, password: str) -> None:
        page.fill("[name=username]", self._stack.demo[email])
        page.fill("[name=password]", self._stack.demo[password])
        page.press("[name=password]", "Enter")


@pytest.fixture(scope="session")
def configured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Configured]:
    with running_configured(tmp_path_factory.mktemp("configured") / "var") as configured:
        yield configured


@pytest.fixture
def windows(browser: Browser, live_stack: RunningStack) -> Windows:
    expect.set_options(timeout=TIMEOUT_MS)
    return Windows(browser, live_stack)
