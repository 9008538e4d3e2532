"""Run axe-core on a page in its present state, to find serious obstacles for people with disabilities."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

GRAVE = {"serious", "critical"}


def grave_faults(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [
        f"{fault['id']}: {node['html'][:200]}" for fault in found if fault["impact"] in GRAVE for node in fault["nodes"]
    ]
