"""The owner's list of jobs in a browser, opened before there are any jobs and kept open without a reload."""

import asyncio
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from playwright.async_api import Browser, BrowserContext, Page, Playwright, async_playwright

from tests.chromium import FLAGS, NAMED, chromium_program

from .books import Broken
from .owner import EMAIL, PASSWORD

_TIMEOUT_MS = 60_000
_CATCHES_UP_S = 30.0
_LOOK_EVERY_S = 0.5
_ROWS = """
rows => rows.map(row => [row.id, row.querySelector(".state")?.textContent.trim() ?? ""])
"""


@dataclass(frozen=True, slots=True)
class Shown:
    """A job in a list."""

    row: str
    state: str


class Window:
    def __init__(self, url: str) -> None:
        self._url = url
        self._complaints: list[str] = []
        self._driver: Playwright
        self._browser: Browser
        self._context: BrowserContext
        self._kept: Page

    async def __aenter__(self) -> Self:
        program = chromium_program()
        if program is None:
            raise FileNotFoundError(NAMED)
        self._driver = await async_playwright().start()
        self._browser = await self._driver.chromium.launch(executable_path=program, args=FLAGS)
        self._context = await self._browser.new_context(base_url=self._url)
        self._kept = await self._context.new_page()
        self._kept.on("pageerror", lambda error: self._complaints.append(str(error)))
        await self._sign_in()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._browser.close()
        await self._driver.stop()

    async def broken(self) -> list[Broken]:
        """Return the differences if the window that was kept open does not catch up with a new window."""
        deadline = time.monotonic() + _CATCHES_UP_S
        while True:
            kept, fresh = await self._shown(self._kept), await self._shown_anew()
            if kept == fresh or time.monotonic() > deadline:
                break
            await asyncio.sleep(_LOOK_EVERY_S)
        broken = [Broken("window", f"a script failed: {words}") for words in self._complaints]
        if not fresh:
            broken.append(Broken("window", "a new window shows no job"))
        for old, new in zip(kept, fresh, strict=False):
            if old != new:
                broken.append(Broken("window", f"shows {old}, a new one {new}"))
        if len(kept) != len(fresh):
            broken.append(Broken("window", f"shows {len(kept)} jobs, a new one {len(fresh)}"))
        return broken

    async def _sign_in(self) -> None:
        await self._kept.goto("/")
        await self._kept.fill("[name=username]", EMAIL)
        await self._kept.fill("[name=password]", PASSWORD)
        await self._kept.press("[name=password]", "Enter")
        await self._kept.wait_for_url("**/jobs", timeout=_TIMEOUT_MS)

    async def _shown_anew(self) -> list[Shown]:
        page = await self._context.new_page()
        try:
            await page.goto("/jobs", timeout=_TIMEOUT_MS)
            return await self._shown(page)
        finally:
            await page.close()

    async def _shown(self, page: Page) -> list[Shown]:
        return [Shown(*row) for row in await page.eval_on_selector_all("#job-rows > tr", _ROWS)]
