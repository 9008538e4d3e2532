"""Generates pages with tables and their truth, and pages that only look as if they had some."""

import random
from dataclasses import dataclass

from inference.tables.table import Table
from tests.benchmarks.documents import GeneratedPage, degrade, generate
from tests.benchmarks.documents.flow import Flow, Frame, Look
from tests.benchmarks.documents.fonts import families
from tests.benchmarks.documents.sheet import Sheet
from tests.benchmarks.documents.studio import A4, LETTER, Studio, studio
from tests.benchmarks.documents.wording.sentences import Wording
from tests.benchmarks.tables.contents import MAX_COLUMNS, contents
from tests.benchmarks.tables.printing import OPEN, RULED, Design, print_table

WITHOUT_TABLES = ("columns", "letter", "form", "menu", "contract", "recipe", "news", "poem", "code")
MAX_TRIES = 12
SIDE_BY_SIDE = 0.15
MAX_TABLES = 3
FURTHER = 1_000_000
"""The distance to the seed of the next page, if a page is left out."""


@dataclass(frozen=True)
class TablePage:
    page: GeneratedPage
    tables: tuple[Table, ...]
    rules: str


def table_page(seed: int, *, ruled: bool, dpi: float = 200) -> TablePage:
    """Draw a page with tables among paragraphs. All its tables have the same rules."""
    chance = random.Random(f"tables {seed} {ruled}")
    language = chance.choice(("en", "de"))
    sheet = Sheet(*(A4 if language == "de" or chance.random() < 0.6 else LETTER), dpi)
    sheet.language = language
    wording = Wording(language, chance, "report")
    place = studio(sheet, chance, wording, chance.choice(families()), columns=None, size=chance.uniform(8.5, 11.5))
    place.furniture()
    rules = chance.choice(RULED if ruled else OPEN)
    tables = _fill(place, rules)
    return TablePage(sheet.page("report", rules), tuple(tables), rules)


def page_without(seed: int, *, dpi: float = 200) -> GeneratedPage:
    """Draw a page without tables. Menus and forms have columns all the same; forms with a table are left out."""
    chance = random.Random(f"none {seed}")
    kind = WITHOUT_TABLES[seed % len(WITHOUT_TABLES)]
    columns = chance.choice((1, 2, 3)) if kind == "columns" else None
    language = chance.choice(("en", "de"))
    while True:
        page = generate(seed, kind, columns, language=language, dpi=dpi)
        if kind != "form" or all(block.type != "table" for block in page.blocks):
            return page
        seed += FURTHER


def scanned(page: GeneratedPage, seed: int) -> GeneratedPage:
    """Return the page as a scanner of an office makes it."""
    chance = random.Random(f"scan {seed}")
    return degrade(
        page,
        seed,
        skew=chance.choice((0.0, chance.uniform(-1.5, 1.5))),
        noise=chance.choice((0, 4, 8)),
        shadow=chance.choice((0, 0, 0.2)),
        jpeg=chance.choice((None, 60, 80)),
        blur=chance.choice((0, 0.6)),
    )


def _fill(place: Studio, rules: str) -> list[Table]:
    chance, flow, tables = place.chance, place.flow(), list[Table]()
    flow.write(place.wording.pick("section"), place.look(1.4, "bold"), "heading", 1)
    for _ in range(chance.randint(1, MAX_TABLES)):
        flow.write(place.wording.paragraph(chance.randint(1, 4)), place.body)
        tables += _captioned(place, flow, rules)
    if not tables:
        tables += _captioned(place, flow, rules, small=True)
    flow.write(place.wording.paragraph(chance.randint(1, 4)), place.body)
    return tables


def _captioned(place: Studio, flow: Flow, rules: str, *, small: bool = False) -> list[Table]:
    chance = place.chance
    start = flow.y
    if flow.left_px < flow.sheet.px(120):
        return []
    if place.likely(0.6):
        flow.write(place.wording.pick("table_caption"), place.look(0.92, "italic", after=0.3), "caption")
    beside = place.likely(SIDE_BY_SIDE) and not small
    frame, between = flow.frame, flow.sheet.px(chance.uniform(22, 50))
    wide = (frame.width - between) // 2 if beside else frame.width
    design = _design(place, rules)
    top, lows, tables = flow.y, [flow.y], list[Table]()
    for number in range(1 + beside):
        left = frame.left + number * (wide + between)
        if not beside and place.likely(0.3):
            left += chance.randint(0, frame.width // 8)
        part = Flow(
            flow.sheet, [Frame(left, top, frame.left + wide - left if not number else wide, frame.bottom - top)]
        )
        table = _fitting(place, part, design, columns=4 if beside else MAX_COLUMNS)
        tables += [table] if table else []
        lows.append(part.y)
    flow.y = max(lows) + flow.sheet.px(chance.uniform(10, 20)) if tables else max(start, top)
    return tables


def _fitting(place: Studio, flow: Flow, design: Design, *, columns: int) -> Table | None:
    """Print one of some tables by chance that has space enough."""
    stretch = place.chance.choice((0.0, 0.0, place.chance.uniform(0.5, 1.0)))
    for _ in range(MAX_TRIES):
        filled = contents(place.chance, place.wording, drawn=design.rules == "grid", columns=columns)
        table = print_table(flow, filled, design, stretch=stretch)
        if table is not None:
            return table
    return None


def _design(place: Studio, rules: str) -> Design:
    chance = place.chance
    text: Look = place.look(chance.choice((0.75, 0.9, 1.0)), leading=chance.choice((1.15, 1.25)))
    gap = chance.choice((chance.uniform(0.8, 1.5), chance.uniform(1.5, 3.5)))
    least = 0.15 if rules in RULED else 0.05
    return Design(rules, text, gap, chance.uniform(least, 0.5), chance.uniform(9, 14))
