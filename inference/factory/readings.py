"""Compares how exact networks and their variant read the same pages: the characters, and the processor's time."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from inference.core.contracts import Json, Pixels
from inference.core.errors import ModelFailed
from inference.factory.gate import Reason, Verdict, verdict
from inference.factory.measures.checks import Fault
from inference.factory.measures.located import Located, located_edits, true_length
from inference.factory.measures.measured import Measured
from inference.factory.measures.pairs import Kind, Measure

ROUNDS = 2
"""The number of times that each reads a page, by turns. The quickest counts."""
MEASURE = "character_error_rate"
Read = Callable[[Pixels], Mapping[str, Json]]
"""A function that reads an upright page as the model `read` does."""


class TooLittleText(Exception):
    """The error for pages on which the exact networks read too little to judge others by."""


@dataclass(frozen=True, slots=True)
class PageReadings:
    """The readings of a page by both. Times are the processor's."""

    name: str
    characters: int
    """The number of characters that the exact networks read."""
    wrong: int
    """The number of characters that the variant read otherwise, missed or added."""
    exact_s: float
    variant_s: float

    @property
    def share(self) -> float:
        """Return the share of the characters that the variant read otherwise."""
        return self.wrong / max(1, self.characters)


@dataclass(slots=True)
class ReadingComparison:
    """The comparison of two ways to read, page by page."""

    exact: Read
    variant: Read
    pages: list[PageReadings] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def add(self, name: str, pixels: Pixels) -> None:
        """Read a page with both. Raises ModelFailed if the exact networks fail."""
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(ROUNDS):
            exact = _timed(self.exact, pixels, times[0])
            try:
                variant = _timed(self.variant, pixels, times[1])
            except ModelFailed as error:
                self.faults.append(Fault("does_not_run", f"it fails where the source runs: {error}", sample=name))
                return
        words = [word for line in exact["lines"] for word in words_of(line)]
        lines = [(line["text"], line["box"]) for line in variant["lines"]]
        wrong = located_edits(words, lines)
        self.pages.append(PageReadings(name, true_length(words), wrong, min(times[0]), min(times[1])))

    @property
    def characters(self) -> int:
        return sum(page.characters for page in self.pages)

    @property
    def speedup(self) -> float:
        """Return how many times as much processor time the exact networks take: the median of the pages."""
        return median(page.exact_s / page.variant_s for page in self.pages)

    def measured(self, *, min_characters: int) -> Measured:
        """Return what the gate judges. Raises TooLittleText."""
        if not self.faults and self.characters < min_characters:
            raise TooLittleText(
                f"The {len(self.pages)} pages that judge have {self.characters:,} characters of text; "
                f"at least {min_characters:,} are needed. Give more pages, or pages with more text."
            )
        return Measured(Kind.TEXT, len(self.pages), tuple(self.faults), () if self.faults else (self._measure(),))

    def judged(self, measured: Measured, bounds: Mapping[str, float]) -> Verdict:
        """Return the verdict of the gate. A variant that is not faster is refused too, as it would be of no use."""
        reasons = (*verdict(measured, bounds).reasons, *(() if measured.faults else self._slowness()))
        return Verdict(not reasons, reasons)

    def _slowness(self) -> Iterator[Reason]:
        if self.speedup <= 1:
            detail = f"a page takes {1 / self.speedup:.2f} times the processor time of the exact networks"
            yield Reason("not_faster", detail, self.speedup, 1.0)

    def _measure(self) -> Measure:
        worst = max(self.pages, key=lambda page: page.share)
        rate = sum(page.wrong for page in self.pages) / self.characters
        return Measure(MEASURE, rate, "text", worst.name if worst.wrong else "")


def words_of(line: Mapping[str, Json]) -> Sequence[Located]:
    """Return the words of a read line with their boxes, or the line as a whole if it does not say where they are.

    By words, a line that the other reading splits in two is still compared in full.
    """
    texts, spans = str(line["text"]).split(), line.get("words") or ()
    if len(texts) != len(spans):
        return [(str(line["text"]), line["box"])]
    top_left, top_right, bottom_right, bottom_left = (np.asarray(corner, np.float64) for corner in line["box"])
    along, below = top_right - top_left, bottom_right - bottom_left
    return [
        (
            text,
            np.array([
                top_left + start * along,
                top_left + end * along,
                bottom_left + end * below,
                bottom_left + start * below,
            ]).tolist(),
        )
        for text, (start, end) in zip(texts, spans, strict=True)
    ]  # fmt: skip


def _timed(read: Read, pixels: Pixels, times_s: list[float]) -> Mapping[str, Json]:
    """Read a page, and add the time that the processor worked for it, which other programs change little."""
    started_s = time.process_time()
    result = read(pixels)
    times_s.append(time.process_time() - started_s)
    return result
