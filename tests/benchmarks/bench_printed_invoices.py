"""Find the fields of invoices and receipts as businesses print them, on their text layers and on scans.

Run from the repository's root: python -m tests.benchmarks.bench_printed_invoices [scans]
Chromium prints them. The rules were made from batches 1 to 3 after their first figures; batch 4 was new to them then.
"""

import json
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
from playwright.sync_api import sync_playwright

from inference.classes.page_class import class_of
from inference.core.contracts import Json, Pixels, TextLine
from inference.fields.document import TYPES
from inference.layout.boxes import Box
from inference.tables.page_tables import find_tables
from jobs.documents.reader import DocumentReader
from tests.benchmarks.bench_documents import Reader, Row
from tests.benchmarks.bench_fields import ReadPage, answer
from tests.benchmarks.circumstances import circumstances
from tests.chromium import FLAGS, NAMED, chromium_program

FOLDER = Path(__file__).parent / "printed_invoices"
DPI, NOISE, BLUR, JPEG, MAX_SKEW = 200, 6, 0.6, 70, 1.5


@dataclass
class Score:
    reported: int = 0
    right: int = 0
    there: int = 0

    def row(self, what: str) -> Iterator[Row]:
        yield Row(f"{what}: right, of {self.reported} fields", f"{self.right / max(1, self.reported):.1%}", ">= 97 %")
        yield Row(f"{what}: found, of {self.there}", f"{self.right / max(1, self.there):.1%}", ">= 90 %")


def print_all(folder: Path) -> Iterator[Path]:
    program = chromium_program()
    if program is None:
        raise SystemExit(f"This benchmark needs {NAMED}.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        page = browser.new_page()
        for source in sorted(FOLDER.glob("*.html")):
            page.goto(source.as_uri())
            printed = folder / f"{source.stem}.pdf"
            page.pdf(path=str(printed), format="A4")
            yield printed
        browser.close()


def text_pages(reader: DocumentReader, printed: Path) -> list[ReadPage]:
    return [_text_page(reader, printed, number) for number in range(1, _pages(printed) + 1)]


def _text_page(reader: DocumentReader, printed: Path, number: int) -> ReadPage:
    page = reader.read_page(printed, "pdf", number)
    lines, width, height = list(page.text_lines or ()), float(page.width_px), float(page.height_px)
    found = class_of("\n".join(line.text for line in lines), (), lines, width, height)
    tables = find_tables(lines, [Box(*rule) for rule in page.rules])
    return ReadPage(lines, width, height, {"probabilities": found.probabilities}, tables)


def _pages(printed: Path) -> int:
    with pypdfium2.PdfDocument(printed) as document:
        return len(document)


def scans(reader: Reader, printed: Path) -> list[ReadPage]:
    with pypdfium2.PdfDocument(printed) as document:
        pictures = [
            _worn(np.asarray(page.render(scale=DPI / 72).to_pil().convert("RGB")), printed.stem) for page in document
        ]
    return [_scan(reader, picture) for picture in pictures]


def _scan(reader: Reader, picture: Pixels) -> ReadPage:
    result = reader.run("parse", picture)
    lines = [TextLine(line["text"], line["box"], line["confidence"]) for line in result["lines"]]
    return ReadPage(lines, result["width"], result["height"], result["class"])


def _worn(picture: Pixels, name: str) -> Pixels:
    """Return the picture a little askew, noisy and blurred, as a scanner makes it."""
    chance = random.Random(name)
    height, width = picture.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), chance.uniform(-MAX_SKEW, MAX_SKEW), 1)
    askew = cv2.warpAffine(picture, matrix, (width, height), borderValue=(255, 255, 255))
    noise = np.random.default_rng(chance.randrange(1000)).normal(0, NOISE, askew.shape)
    blurred = cv2.GaussianBlur(np.clip(askew + noise, 0, 255).astype(np.uint8), (0, 0), BLUR)
    _, packed = cv2.imencode(".jpg", blurred, [cv2.IMWRITE_JPEG_QUALITY, JPEG])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def count(score: Score, truths: Mapping[str, str | Sequence[str]], found: Json) -> list[str]:
    """Add a document to a score and return what is wrong. An empty text among the truths allows no field at all."""
    named = {field["name"]: field for field in found["fields"]}
    wrong = []
    for name in TYPES:
        wanted = truths.get(name, ())
        options = [wanted] if isinstance(wanted, str) else list(wanted)
        field = named.get(name)
        is_right = field is not None and bool(
            {_plain(field["normalized"]), _plain(field["value"])} & set(map(_plain, options))
        )
        score.there += bool(options) and (field is not None or "" not in options)
        score.reported += field is not None
        score.right += is_right
        if not is_right and (field is not None or (options and "" not in options)):
            wrong.append(f"{name} is {wanted!r}, found {field and field['value']!r}")
    return wrong


def _plain(text: str | None) -> str:
    return (text or "").rstrip(".")


def main() -> None:
    truths = json.loads((FOLDER / "truth.json").read_text())
    print(circumstances())
    scores: dict[str, Score] = defaultdict(Score)
    recognizer = Reader() if "scans" in sys.argv else None
    reader = DocumentReader(children=1)
    with tempfile.TemporaryDirectory() as folder:
        for printed in print_all(Path(folder)):
            truth = truths[printed.stem]
            batch = "batch 4" if truth["batch"] == 4 else "batches 1 to 3"
            ways = {"text layers": text_pages(reader, printed)}
            if recognizer is not None:
                ways["scans"] = scans(recognizer, printed)
            for way, pages in ways.items():
                for wrong in count(scores[f"{batch}, {way}"], truth["fields"], answer(pages)):
                    print(f"{printed.stem}, {way}: {wrong}", file=sys.stderr)
    reader.close()
    print("\n| what | found | goal |\n|---|---|---|")
    for what, score in sorted(scores.items()):
        for row in score.row(what):
            print(f"| {row.what} | {row.value} | {row.goal} |")


if __name__ == "__main__":
    main()
