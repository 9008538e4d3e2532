"""Find tables on text pages and on scans: how much of their structure is right, beside camelot and pdfplumber.

Run from the repository's root: python -m tests.benchmarks.bench_tables [generated tables of each sort] [ICDAR folder]
The folder holds the files of the ICDAR 2013 table competition; without it only generated pages are read.
The seeds here are for testing alone; bounds were chosen on others.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import cv2
import numpy as np
import pypdfium2

from inference.core.contracts import Json, Pixels, TextLine
from inference.layout.boxes import Box
from inference.pictures.righting import Righting
from inference.pictures.rules import find_rules
from inference.tables.page_tables import find_tables
from inference.tables.table import Table
from jobs.documents.reader import DocumentReader
from jobs.documents.reader.contents import PageContent
from tests.benchmarks.bench_documents import Reader, Row
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.peers.environments import CACHE, NotInstalled, made_environment
from tests.benchmarks.tables import peer_tables
from tests.benchmarks.tables.generated import page_without, scanned, table_page
from tests.benchmarks.tables.icdar import Document, documents
from tests.benchmarks.tables.matching import match
from tests.benchmarks.tables.relations import Grid, Score, compare, grid_of
from tests.benchmarks.tables.teds import similarity

FIRST_SEED = 970_000
TABLES = 300
FOLDER = Path("../shared/documents/icdar2013-eu")
PEERS = ("camelot-py==2.0.0", "pdfplumber==0.11.10")
WAYS = ("lattice", "hybrid", "pdfplumber")
DPI = 200


@dataclass
class Clock:
    """The processor seconds of reading pages, and of finding their tables."""

    reading_s: float = 0.0
    tables_s: float = 0.0


def tables_of_scan(reader: Reader, pixels: Pixels, clock: Clock) -> list[Table]:
    """Right a picture, read its lines, and return the tables of lines and rules."""
    started = time.process_time()
    righted = _righted(reader, pixels)
    result = reader.run("read", righted)
    read = time.process_time()
    found = find_tables(_lines(result), [Box(*box) for box in find_rules(righted)])
    clock.reading_s += read - started
    clock.tables_s += time.process_time() - read
    return found


def _righted(reader: Reader, pixels: Pixels) -> Pixels:
    turn = reader.run("orient", pixels)
    righting = Righting(pixels.shape[1], pixels.shape[0], turn["rotation"], turn["angle"], None)
    return pixels if righting.changes_nothing else righting.apply(pixels)


def _lines(result: Mapping[str, Json]) -> list[TextLine]:
    return [
        TextLine(
            line["text"],
            None if line["box"] is None else Box.of_corners(line["box"]).corners(),
            line["confidence"],
            tuple(tuple(word) for word in line.get("words") or ()),
        )
        for line in result["lines"]
    ]


def as_grid(table: Table) -> Grid:
    return grid_of(
        (cell.row, cell.column, cell.row + cell.row_span - 1, cell.column + cell.column_span - 1, cell.text)
        for cell in table.cells
    )


def text_pages(files: Sequence[Document]) -> Iterator[Row]:
    documents_reader, score, spent, count = DocumentReader(children=1), Score(0, 0, 0), 0.0, 0
    for document in files:
        found: list[Grid] = []
        for number in range(1, _pages(document.pdf) + 1):
            page = documents_reader.read_page(document.pdf, "pdf", number)
            started = time.process_time()
            found += map(as_grid, _tables_of_text(page))
            spent, count = spent + time.process_time() - started, count + 1
        score += compare(found, document.tables)
    documents_reader.close()
    yield Row(f"ICDAR, text of {count} pages: F1 of neighbors", f"{score.f1:.3f}", ">= 0.90, camelot + 0.05")
    yield Row("its tables, ms of a core for each page", f"{1000 * spent / count:.0f}", "80 with reading")


def _tables_of_text(page: PageContent) -> list[Table]:
    return find_tables(page.text_lines or (), [Box(*rule) for rule in page.rules])


def _pages(path: Path) -> int:
    with pypdfium2.PdfDocument(path) as document:
        return len(document)


def rasterized(reader: Reader, files: Sequence[Document], angle: float, goal: str) -> Iterator[Row]:
    score, clock = Score(0, 0, 0), Clock()
    for document in files:
        with pypdfium2.PdfDocument(document.pdf) as pdf:
            pictures = [_turned(np.asarray(page.render(scale=DPI / 72).to_pil().convert("RGB")), angle) for page in pdf]
        found = [as_grid(table) for picture in pictures for table in tables_of_scan(reader, picture, clock)]
        score += compare(found, document.tables)
    yield Row(f"ICDAR as pictures, turned by {angle:g}°: F1 of neighbors", f"{score.f1:.3f}", goal)


def _turned(pixels: Pixels, angle: float) -> Pixels:
    height, width = pixels.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), -angle, 1)
    white = (255, 255, 255)
    turned = cv2.warpAffine(pixels, matrix, (width, height), flags=cv2.INTER_CUBIC, borderValue=white)
    return np.asarray(turned, np.uint8) if angle else pixels


def peers(files: Sequence[Document]) -> Iterator[Row]:
    try:
        python = made_environment(CACHE, "tables", PEERS)
    except NotInstalled as error:
        print(f"no peers: {error}", file=sys.stderr)
        return
    paths = sorted({str(document.pdf) for document in files})
    for way in WAYS:
        done = subprocess.run(
            [str(python), peer_tables.__file__, way, *paths], check=True, stdout=subprocess.PIPE, text=True
        )
        answer = json.loads(done.stdout)
        score = Score(0, 0, 0)
        for document in files:
            found = [_plain_grid(rows) for rows in answer["tables"][str(document.pdf)]]
            score += compare(found, document.tables)
        name = way if way == "pdfplumber" else f"camelot {way}"
        pages = sum(_pages(Path(path)) for path in paths)
        each = f"{1000 * answer['seconds'] / pages:.0f} ms of a core a page"
        yield Row(f"{name} on the text pages: F1 of neighbors", f"{score.f1:.3f} ({each})", "not more than ours")


def _plain_grid(rows: Sequence[Sequence[str]]) -> Grid:
    return grid_of(
        (row, column, row, column, text) for row, texts in enumerate(rows) for column, text in enumerate(texts)
    )


def generated(reader: Reader, count: int, *, ruled: bool, clock: Clock) -> Iterator[Row]:
    by_rules: dict[str, list[float]] = {}
    seed, others = FIRST_SEED, 0
    while sum(map(len, by_rules.values())) < count:
        made = table_page(seed, ruled=ruled, dpi=DPI)
        matches = match(tables_of_scan(reader, scanned(made.page, seed).picture, clock), made.tables)
        scores = [similarity(found, wanted) if found else 0.0 for wanted, found in matches.pairs]
        by_rules.setdefault(made.rules, []).extend(scores)
        others, seed = others + len(matches.others), seed + 1
    scores = [score for each in by_rules.values() for score in each]
    name = "ruled" if ruled else "not or hardly ruled"
    yield Row(
        f"{len(scores)} generated tables on scans, {name}: TEDS",
        f"{fmean(scores):.3f}",
        ">= 0.95" if ruled else ">= 0.85",
    )
    for rules, each in sorted(by_rules.items()):
        yield Row(f"… {rules}, {len(each)} tables", f"{fmean(each):.3f}", "")
    yield Row(f"… tables found that are none, on {seed - FIRST_SEED} pages", str(others), "")


def without(reader: Reader, count: int) -> Iterator[Row]:
    found: dict[str, int] = {}
    for number in range(count):
        page = page_without(FIRST_SEED + number, dpi=DPI)
        tables = tables_of_scan(reader, scanned(page, number).picture, Clock())
        found[page.layout] = found.get(page.layout, 0) + len(tables)
    by_kind = ", ".join(f"{kind} {number}" for kind, number in sorted(found.items()) if number)
    yield Row("false tables for 100 pages without", f"{100 * sum(found.values()) / count:.0f} ({by_kind})", "")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else TABLES
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else FOLDER
    reader, clock = Reader(), Clock()
    files = list(documents(folder)) if folder.exists() else []
    print(circumstances())
    print("\n| what | found | goal |\n|---|---|---|")
    ways: list[Callable[[], Iterator[Row]]] = [
        lambda: generated(reader, count // 2, ruled=True, clock=clock),
        lambda: generated(reader, count // 2, ruled=False, clock=clock),
        lambda: without(reader, max(9, count // 3)),
    ]
    if files:
        ways += [
            lambda: text_pages(files),
            lambda: peers(files),
            lambda: rasterized(reader, files, 0, ">= 0.78"),
            lambda: rasterized(reader, files, 2, ">= 0.75"),
        ]
    for rows in ways:
        for row in rows():
            print(f"| {row.what} | {row.value} | {row.goal} |", flush=True)
    ratio = 1 + clock.tables_s / clock.reading_s
    print(f"| a scan with its tables to the reading alone, time of a core | {ratio:.3f} | <= 1.25 |")


if __name__ == "__main__":
    main()
