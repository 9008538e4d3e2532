"""Print business papers of eight kinds that the same firms send with the same letterheads."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from inference.class_sets.page_features import PageFeatures
from jobs.class_sets.reading import page_features
from tests.benchmarks.class_sets.wording import COMMON, LABELS, NUMBERING, WORDS, Words
from tests.benchmarks.classes.samples import Sample, sample_of
from tests.benchmarks.documents import GeneratedPage
from tests.benchmarks.documents.degrade import degrade
from tests.benchmarks.documents.flow import Flow
from tests.benchmarks.documents.fonts import BUILT_IN, named
from tests.benchmarks.documents.kinds.letter import bank_footer, recipient
from tests.benchmarks.documents.sheet import FOOT, Block, Sheet
from tests.benchmarks.documents.studio import A4, Studio, studio
from tests.benchmarks.documents.tables import Column, print_row, print_table, random_look
from tests.benchmarks.documents.wording.sentences import Wording

DPI = 72
COLUMNS = (Column(0.46), Column(0.16, "right"), Column(0.18, "right"), Column(0.2, "right"))
META = (Column(0.25), Column(0.75))
NUMBERED = (Column(0.2), Column(0.4), Column(0.2, "right"), Column(0.2, "right"))
FIRST_ROWS, NEXT_ROWS = 13, 24
"""The rows of a table on the first page and on later pages of papers that have several."""


@dataclass(frozen=True)
class Paper:
    kind: str
    firm: int
    seed: int
    pages: tuple[Sample, ...]

    def features(self) -> list[PageFeatures]:
        """Return the features that the product has of the stored results."""
        return [page_features(json.loads(stored(page))) for page in self.pages]


def stored(page: Sample) -> str:
    """Return the result of a page as `parse` gives it and the database keeps it, as far as class sets look at it."""
    lines = [{"text": line.text, "box": line.box, "confidence": line.confidence} for line in page.lines]
    size = {"width": page.width, "height": page.height}
    return json.dumps({"text": page.text, "lines": lines, "blocks": page.blocks, "tables": None, **size})


class Firm:
    """A firm's letterhead, language and habits, which are the same for all its papers."""

    def __init__(self, number: int) -> None:
        self.number = number
        chance = random.Random(f"firm {number}")
        self.language = ("en", "de")[number % 2]
        wording = Wording(self.language, chance)
        self.name = f"{wording.fill('{last_name}')} {wording.fill('{firm}')}"
        self.address = (wording.fill("{street} {small}"), wording.fill("{count}00 {city}"))
        self.align = chance.choice(("left", "right", "center"))
        self.large = chance.uniform(1.3, 2.2)
        self.numbering = chance.choice(NUMBERING[self.language])
        self.has_footer, self.has_letterhead_on_all = chance.random() < 0.6, chance.random() < 0.3
        self.repeats_number = chance.random() < 0.75
        self.seed = chance.random()

    def habit(self, name: str, choices: Sequence[str]) -> str:
        """Return the firm's choice, mostly the same."""
        return random.Random(f"{self.seed} {name}").choice(choices)


class Printer:
    def __init__(self, kind: str, firm: Firm, seed: int, dpi: int = DPI) -> None:
        self.kind, self.firm, self.dpi = kind, firm, dpi
        self.chance = random.Random(f"{kind} {firm.number} {seed}")
        self.words: Words = WORDS[firm.language][kind]
        self.wording = Wording(firm.language, self.chance)
        self.number = self.wording.fill("{number}")

    def pages(self) -> Iterator[GeneratedPage]:
        count = self.chance.choices((1, 2, 3), (70, 20, 10))[0]
        heads = [part.strip() for part in self.firm.habit(f"columns {self.kind}", self.words.columns).split(";")]
        for number in range(1, count + 1):
            yield self._page(number, count, heads)

    def _page(self, number: int, count: int, heads: Sequence[str]) -> GeneratedPage:
        sheet = Sheet(*A4, self.dpi)
        sheet.language = self.firm.language
        looks = random.Random(f"{self.firm.seed} looks")
        place = studio(sheet, looks, self.wording, named(BUILT_IN), columns=None, size=looks.uniform(8.5, 10.5))
        place.chance = self.chance
        flow = place.flow()
        if number == 1 or self.firm.has_letterhead_on_all:
            self._letterhead(place, flow)
        if number > 1 and self.firm.repeats_number:
            flow.write(f"{self.firm.name} · {self.number}", place.look(0.9, after=1))
        if number == 1:
            self._beginning(place, flow)
        self._table(place, flow, number, count, heads)
        if number == count:
            self._end(place, flow)
        if self.firm.has_footer:
            bank_footer(replace(place, wording=Wording(self.firm.language, random.Random(f"{self.firm.seed} foot"))))
        if self.firm.numbering and (count > 1 or self.firm.number % 3):
            low = place.at(place.margins[0], place.height_pt - 68, place.inner_pt, part=FOOT)
            low.write(self.firm.numbering.format(n=number, m=count), place.look(0.9, align="right"), "page_number")
        return sheet.page("invoice", self.kind)

    def _letterhead(self, place: Studio, flow: Flow) -> None:
        firm = self.firm
        flow.write(firm.name, place.look(firm.large, "bold", align=firm.align, after=0.1))
        flow.write_lines(firm.address, place.look(0.9, align=firm.align, after=0))
        flow.skip(16)

    def _beginning(self, place: Studio, flow: Flow) -> None:
        recipient(place, flow)
        title = self.firm.habit(f"title {self.kind}", self.words.titles).replace("{number}", self.number)
        flow.write(self.wording.fill(title), place.look(1.5, "bold", after=0.6), "heading", 1)
        block = flow.sheet.block(Block("table"))
        print_row(flow, block, ("No." if self.firm.language == "en" else "Nr.", self.number), META, place.look(0.95))
        for label in self.chance.sample(LABELS[self.firm.language], self.chance.randint(2, 5)):
            value = self.wording.fill("{date}" if label[:2] in ("Da", "De", "Li") else "{number}")
            print_row(flow, block, (label, value), META, place.look(0.95))
        flow.skip(12)
        sentences = self.chance.sample(self.words.sentences, self.chance.randint(1, 2))
        flow.write(self.wording.fill(" ".join(sentences)), place.look(after=0.9))

    def _table(self, place: Studio, flow: Flow, number: int, count: int, heads: Sequence[str]) -> None:
        rows = self.chance.randint(2, 8) if number == count else FIRST_ROWS if number == 1 else NEXT_ROWS
        columns = NUMBERED if self.kind in ("reminder", "statement") else COLUMNS
        print_table(place, flow, [heads, *(self._row() for _ in range(rows))], columns, random_look(place))

    def _row(self) -> list[str]:
        fill, chance = self.wording.fill, self.chance
        amount = self.wording.amount(chance.randint(250, 900_000))
        match self.kind:
            case "reminder":
                return [fill("{number}"), fill("{date}"), fill("{date}"), amount]
            case "statement":
                return [fill("{date}"), fill("{firm}"), fill("{date}"), amount]
            case "payslip":
                return [fill("{service}"), str(chance.randint(1, 170)), f"{chance.randint(5, 60)}.50", amount]
            case "delivery note":
                return [
                    fill("{thing^}"),
                    str(chance.randint(1, 40)),
                    str(chance.randint(1, 40)),
                    f"{chance.randint(1, 90)} kg",
                ]
            case _:
                return [
                    fill("{thing^}"),
                    str(chance.randint(1, 40)),
                    self.wording.amount(chance.randint(99, 9_000)),
                    amount,
                ]

    def _end(self, place: Studio, flow: Flow) -> None:
        fill = self.wording.fill
        block = flow.sheet.block(Block("table"))
        for label in self.firm.habit(f"sums {self.kind}", self.words.sums).split(";"):
            cells = ("", label.strip(), self.wording.amount(self.chance.randint(900, 2_000_000)))
            print_row(flow, block, cells, (Column(0.45), Column(0.35), Column(0.2, "right")), place.look())
        flow.skip(10)
        own = self.chance.sample(self.words.sentences, 1)
        common = self.chance.sample(COMMON[self.firm.language], self.chance.randint(1, 3))
        flow.write(fill(" ".join([*own, *common])), place.look())


def paper(kind: str, firm: int, seed: int) -> Paper:
    return Paper(kind, firm, seed, tuple(sample_of(page) for page in Printer(kind, Firm(firm), seed).pages()))


def scans(kind: str, firm: int, seed: int, dpi: int) -> Iterator[GeneratedPage]:
    """Yield the pages of a paper as pictures that a scanner made: a little askew, gray and grainy."""
    chance = random.Random(f"scan {kind} {firm} {seed}")
    for page in Printer(kind, Firm(firm), seed, dpi).pages():
        skew = chance.uniform(-2, 2)
        yield degrade(page, chance.randrange(2**31), skew=skew, noise=6, shadow=0.1, jpeg=60, paper=250, beyond=235)
