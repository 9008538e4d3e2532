"""Lay out invoices: addresses, numbers, a table of items, totals and how to pay."""

from tests.benchmarks.documents.flow import Flow
from tests.benchmarks.documents.kinds.letter import bank_footer, letterhead, recipient
from tests.benchmarks.documents.sheet import Block
from tests.benchmarks.documents.studio import Studio
from tests.benchmarks.documents.tables import Column, print_row, print_table, random_look

COLUMNS = (Column(0.5), Column(0.12, "right"), Column(0.18, "right"), Column(0.2, "right"))
NUMBERED = (Column(0.07), Column(0.45), Column(0.12, "right"), Column(0.18, "right"), Column(0.18, "right"))


def compose(studio: Studio) -> None:
    chance, wording = studio.chance, studio.wording
    flow = studio.flow()
    letterhead(studio, flow, wording.pick("firm"), business=True)
    recipient(studio, flow)
    title = studio.look(chance.uniform(1.3, 2.4), "bold", after=0.6)
    title_first = studio.likely(0.7)
    if not title_first:
        _numbers(studio, flow)
    flow.write(wording.pick("title"), title, "heading", 1)
    if title_first:
        _numbers(studio, flow)
    if studio.likely(0.6):
        flow.write(" ".join(wording.some("sentence", chance.randint(1, 2))), studio.look(after=0.9))
    sum_cents = _items(studio, flow)
    _totals(studio, flow, sum_cents)
    flow.skip(10)
    for _ in range(chance.randint(1, 2)):
        flow.write(" ".join(wording.some("sentence", chance.randint(1, 3))), studio.look())
    if studio.likely(0.7):
        flow.write(wording.pick("bank"), studio.look(after=0.2))
    if studio.likely(0.5):
        flow.write(wording.pick("terms"), studio.look(0.85))
    if studio.likely(0.5):
        bank_footer(studio)


def _numbers(studio: Studio, flow: Flow) -> None:
    """Print numbers and dates with their labels, in a block at the left or the right."""
    wording = studio.wording
    block = flow.sheet.block(Block("table"))
    shift = studio.likely(0.5)
    look = studio.look(0.95)
    columns = (Column(0.55), Column(0.25), Column(0.2)) if shift else (Column(0.25), Column(0.75))
    for label in wording.some("meta", studio.chance.randint(2, 5)):
        value = wording.fill("{date}" if "dat" in label.lower() or label[:2] in ("Du", "Fä") else "{number}")
        cells = ("", label, value) if shift else (label, value)
        print_row(flow, block, cells, columns, look)
    flow.skip(12)


def _items(studio: Studio, flow: Flow) -> int:
    chance, wording = studio.chance, studio.wording
    heads = [part.strip() for part in wording.pick("columns").split(";")]
    rows, total = [heads], 0
    for _ in range(chance.randint(2, 9)):
        count, price = chance.randint(1, 24), chance.randint(250, 60_000)
        total += count * price
        rows.append([wording.pick("row"), str(count), wording.amount(price), wording.amount(count * price)])
    columns: tuple[Column, ...] = COLUMNS
    if studio.likely(0.4):
        rows = [["#" if not number else str(number), *row] for number, row in enumerate(rows)]
        columns = NUMBERED
    print_table(studio, flow, rows, columns, random_look(studio))
    return total


def _totals(studio: Studio, flow: Flow, total: int) -> None:
    wording = studio.wording
    block = flow.sheet.block(Block("table"))
    tax = round(total * studio.chance.choice((0.07, 0.19, 0.2)))
    columns = (Column(0.45), Column(0.35, studio.chance.choice(("left", "right"))), Column(0.2, "right"))
    for label, cents in (("subtotal", total), ("tax", tax)):
        print_row(flow, block, ("", wording.pick(label), wording.amount(cents)), columns, studio.look())
    bold = studio.look(studio.chance.choice((1, 1.15)), "bold")
    print_row(flow, block, ("", wording.pick("total"), wording.amount(total + tax)), columns, bold)
