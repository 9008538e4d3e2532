"""Wait until an expression becomes true in a page. Playwright's own wait evaluates text in the page each time, which
the page's Content-Security-Policy forbids after the first time.
"""

import time
from typing import Any

from playwright.sync_api import Page

TIMEOUT_S = 30.0
LOOKED_EVERY_MS = 50


def until(page: Page, expression: str, arg: Any = None) -> None:
    ends_s = time.monotonic() + TIMEOUT_S
    while not page.evaluate(expression, arg):
        assert time.monotonic() < ends_s, f"{expression} did not become true"
        page.wait_for_timeout(LOOKED_EVERY_MS)
