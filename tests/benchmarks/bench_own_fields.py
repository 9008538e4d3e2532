"""Teach own fields on one document of a kind each, and find them on 20 unseen documents of the kind.

Run from the repository's root: python -m tests.benchmarks.bench_own_fields [scanned documents of a kind] [tuning]
Figures come from the five kinds in `held_out_kinds`; the engine was tuned on the eleven others only (`tuning`), and of
these five no mistake was looked at, only the shares. Each document is a PDF with a text layer that the product's own
reader opens, or a picture of it, a little askew, that is recognized. A value that was pointed at is taken as the engine
guesses it, with its label, type and place; only that a field is a column of a table is told to it.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import cv2
import numpy as np
import pypdfium2

from inference.core.contracts import Json, PageInput, Pixels
from inference.own_fields.definition import OwnField
from inference.own_fields.finding import find
from inference.own_fields.pointing import point
from jobs.documents.reader import DocumentReader
from tests.benchmarks.bench_documents import Reader, Row
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.own_fields.generation import HELD_OUT, KNOWN, Kind, document
from tests.benchmarks.own_fields.pen import WIDTH, TrueDocument, TrueValue

UNSEEN = 20
SCANNED = 5
DPI = 200
MAX_SKEW = 2.0
MARGIN_PT = 2.0
"""How far a person draws a box around a value."""
Pages = Sequence[Mapping[str, Json]]


@dataclass
class Score:
    there: int = 0
    right: int = 0
    wrong: int = 0
    absent: int = 0
    made_up: int = 0
    labels: int = 0
    taught: int = 0
    mistakes: Counter[str] = field(default_factory=Counter)
    details: list[str] = field(default_factory=list)

    def add(self, other: "Score") -> None:
        for name in ("there", "right", "wrong", "absent", "made_up", "labels", "taught"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.mistakes += other.mistakes
        self.details += other.details


class Pdfs:
    """Reads documents as the product does: by their text layer, or as pictures."""

    def __init__(self) -> None:
        self._reader, self._opener = Reader(), DocumentReader(children=1)

    def close(self) -> None:
        self._opener.close()

    def text(self, made: TrueDocument) -> Pages:
        with TemporaryDirectory() as folder:
            path = Path(folder, "made.pdf")
            path.write_bytes(made.pdf)
            return [self._page(path, number) for number in range(1, made.pages + 1)]

    def _page(self, path: Path, number: int) -> Mapping[str, Json]:
        page = self._opener.read_page(path, "pdf", number)
        size = page.width_px, page.height_px
        work = PageInput(number, *size, page.text_lines, None, page.scans, page.rules, page.items, page.findings)
        return self._reader.run_page("parse", work)

    def scan(self, made: TrueDocument, seed: int, max_skew: float) -> Pages:
        with pypdfium2.PdfDocument(made.pdf) as pdf:
            pictures = [np.asarray(page.render(scale=DPI / 72).to_pil().convert("RGB")) for page in pdf]
        return [self._reader.run("parse", _worn(picture, seed, max_skew)) for picture in pictures]


def _worn(picture: Pixels, seed: int, max_skew: float) -> Pixels:
    """Return a picture as it comes out of a scanner: a little askew, blurred and grainy."""
    chance, noise = Random(seed), np.random.default_rng(seed)
    height, width = picture.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), chance.uniform(-max_skew, max_skew), 1)
    white = (255, 255, 255)
    turned = cv2.warpAffine(picture, matrix, (width, height), flags=cv2.INTER_CUBIC, borderValue=white)
    blurred = cv2.GaussianBlur(turned, (0, 0), chance.uniform(0.4, 0.9))
    grain = noise.normal(0, chance.choice((3, 8)), blurred.shape[:2])[..., None]
    return np.asarray(np.clip(np.asarray(blurred, np.float64) + grain, 0, 255), np.uint8)


def taught(kind: Kind, made: TrueDocument, pages: Pages, score: Score) -> list[OwnField]:
    """Return the fields of a kind, learned by pointing at the values of one document."""
    fields = []
    for name, values in made.fields.items():
        value = values[0]
        page = pages[value.page - 1]
        scale = page["width"] / WIDTH
        left, top, right, bottom = value.box
        box = (left - MARGIN_PT, top - MARGIN_PT, right + MARGIN_PT, bottom + MARGIN_PT)
        pointed = point(page, value.page, made.pages, [side * scale for side in box])
        score.taught += 1
        if pointed is None or not _same_letters(pointed.text, value.text):
            score.mistakes[f"pointed at {name}"] += 1
            score.details.append(f"pointed at {name}: {value.text!r}, got {pointed.text if pointed else None!r}")
        if pointed is None:
            continue
        place = "column" if name in kind.columns else pointed.place
        labels = (pointed.label,) if pointed.label else ()
        score.details.append(f"taught {name}: {pointed.label!r} {place} {pointed.type} {pointed.trace.shape!r}")
        fields.append(OwnField(name, pointed.type, labels, place, traces=(pointed.trace,)))
    return fields


def count(score: Score, name: str, made: TrueDocument, fields: Sequence[OwnField], pages: Pages) -> None:
    """Add what is found on a document to a score. A column is right if all its values are, in their order."""
    entries = find(pages, fields)
    for field_name in (own.name for own in fields):
        truth = made.fields.get(field_name, [])
        found = [entry for entry in entries if entry["name"] == field_name]
        is_right = len(found) == len(truth) and all(map(_is_right, found, truth))
        if truth:
            score.there += 1
            score.right += is_right
            score.wrong += bool(found) and not is_right
        else:
            score.absent += 1
            score.made_up += bool(found)
        if not is_right:
            what = "wrong" if truth and found else "missed" if truth else "made up"
            score.mistakes[f"{name}, {field_name}: {what}"] += 1
            values = [(entry["value"], entry["normalized"], entry["confidence"]) for entry in found]
            score.details.append(f"{name}, {field_name} {what}: {[value.text for value in truth]} found {values}")


def _is_right(found: Mapping[str, Json], truth: TrueValue) -> bool:
    if found["type"] in ("amount", "number"):
        return found["normalized"] is not None and Decimal(found["normalized"]) == _number(truth.normalized)
    if found["type"] in ("date", "iban", "yes_no"):
        return bool(found["normalized"] == truth.normalized)
    return _same_letters(found["value"], truth.text)


def _number(normalized: str) -> Decimal | None:
    try:
        return Decimal(normalized)
    except InvalidOperation:
        return None


def _same_letters(one: str, other: str) -> bool:
    return _letters(one) == _letters(other)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def of_text(pdfs: Pdfs, kinds: Mapping[str, Kind]) -> Iterator[Row]:
    total, spent, pages_read = Score(), 0.0, 0
    for name, kind in kinds.items():
        score = Score()
        example = document(name, 0)
        fields = taught(kind, example, pdfs.text(example), score)
        for number in range(1, UNSEEN + 1):
            made = document(name, number)
            pages = pdfs.text(made)
            started = time.process_time()
            find(pages, fields)
            spent, pages_read = spent + time.process_time() - started, pages_read + len(pages)
            count(score, name, made, fields, pages)
        total.add(score)
        yield Row(f"text, {name}: right, of {score.there} fields", _share(score.right, score.there), "")
    yield from rows_of("text", total)
    yield Row("text: ms of a core for each page", f"{1000 * spent / pages_read:.2f}", "<= 2")
    _print_details(total)


def of_scans(pdfs: Pdfs, kinds: Mapping[str, Kind], each: int) -> Iterator[Row]:
    """Yield the same where the example and the documents are scans; the example lies straight."""
    total = Score()
    for at, (name, kind) in enumerate(kinds.items()):
        example = document(name, 0)
        fields = taught(kind, example, pdfs.scan(example, 1000 * at, 0.0), total)
        for number in range(1, each + 1):
            made = document(name, number)
            pages = pdfs.scan(made, 1000 * at + number, MAX_SKEW)
            count(total, name, made, fields, pages)
    yield from rows_of("scans", total)
    _print_details(total)


def rows_of(what: str, score: Score) -> Iterator[Row]:
    reported = score.right + score.wrong + score.made_up
    yield Row(f"{what}: right, of {score.there} fields there", _share(score.right, score.there), ">= 90 %")
    yield Row(f"{what}: wrong, of {reported} reported", _share(score.wrong + score.made_up, reported), "")
    yield Row(f"{what}: reported though absent, of {score.absent}", _share(score.made_up, score.absent), "")


def _share(part: int, whole: int) -> str:
    return f"{part / max(1, whole):.1%}"


def _print_details(score: Score) -> None:
    if "tuning" in sys.argv:
        print("\n".join([*score.details, str(score.mistakes.most_common())]))


def main() -> None:
    numbers = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    kinds = KNOWN if "tuning" in sys.argv else HELD_OUT
    pdfs = Pdfs()
    print(circumstances())
    print("\n| what | found | goal |\n|---|---|---|")
    for rows in (of_text(pdfs, kinds), of_scans(pdfs, kinds, numbers[0] if numbers else SCANNED)):
        for row in rows:
            print(f"| {row.what} | {row.value} | {row.goal} |", flush=True)
    pdfs.close()


if __name__ == "__main__":
    main()
