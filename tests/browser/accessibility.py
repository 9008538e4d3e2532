"""Run axe-core on a page in its present state and every look, to find obstacles for people with disabilities."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

GRAVE = {"serious", "critical"}
HEIGHT = 844


@dataclass(frozen=True)
class Look:
    width: int
    scheme: Literal["light", "dark"]

    def __str__(self) -> str:
        return f"{self.width}-{self.scheme}"


LOOKS = (Look(1440, "light"), Look(1440, "dark"), Look(390, "light"), Look(390, "dark"))


def faults_in_looks(page: Page, looks: Sequence[Look] = LOOKS) -> Iterator[str]:
    """Yield the faults of the open page in each look: what axe-core finds, and whether it scrolls sideways.

    The page has its size again afterwards.
    """
    before = page.viewport_size
    for look in looks:
        page.emulate_media(color_scheme=look.scheme)
        if scrolls_sideways(page, look):
            yield f"{look}: scrolls sideways"
        yield from (f"{look}: {fault}" for fault in grave_faults(page))
    if before is not None:
        page.set_viewport_size(before)


def scrolls_sideways(page: Page, look: Look) -> bool:
    page.set_viewport_size(ViewportSize(width=look.width, height=HEIGHT))
    root = "document.documentElement"
    return bool(page.evaluate(f"{root}.scrollWidth > {root}.clientWidth"))


def grave_faults(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [
        f"{fault['id']}: {node['html'][:200]}" for fault in found if fault["impact"] in GRAVE for node in fault["nodes"]
    ]
