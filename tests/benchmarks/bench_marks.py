"""Measure how many tick boxes and codes are found on generated pages: drawn in PDFs, and on scans of them.

Run from the repository's root: python -m tests.benchmarks.bench_marks [pages of each kind] [--ocr]. Lines of scans are
those of the PDF, so that only the marks are measured; with --ocr, some scans are read by the model `ocr` instead.
"""

import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pypdfium2

from inference.core.contracts import PageInput, TextLine
from inference.layout.boxes import Box
from inference.pictures.righting import Righting
from inference.pipelines.operations.marks import FIND_MARKS
from inference.pipelines.operations.pages import UPRIGHT_PAGE
from jobs.documents.reader import DocumentReader, PageContent
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.documents.degrade import degrade
from tests.benchmarks.documents.truth import GeneratedPage, TruthLine
from tests.benchmarks.marks.measure import Score
from tests.benchmarks.marks.pages import TruePage, code_page, plain_page, tick_page
from tests.inference.registry.builtin.served import builtin_engine, builtin_specs

DPI = 200
OCR_PAGES = 6

Json = Any


class Bench:
    def __init__(self, folder: Path) -> None:
        self.reader = DocumentReader(children=1)
        self.folder = folder
        self.ms: dict[str, list[float]] = {}

    def read(self, data: bytes, kind: str, name: str) -> PageContent:
        path = self.folder / "page"
        path.write_bytes(data)
        began = time.perf_counter()
        content = self.reader.read_page(path, "pdf" if kind == "pdf" else "image", 1)
        self.ms.setdefault(name, []).append(1000 * (time.perf_counter() - began))
        return content

    def find(self, page: PageInput, lines: tuple[TextLine, ...], name: str) -> Mapping[str, Json]:
        began = time.process_time()
        found: Mapping[str, Json] = FIND_MARKS.run({"page": page, "lines": lines}, {})
        self.ms.setdefault(name, []).append(1000 * (time.process_time() - began))
        return found


def main(count: int, *, with_ocr: bool) -> None:
    scores: dict[str, Score] = {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        for seed in range(count):
            for kind, page in _pages(seed):
                _measure(bench, scores, seed, kind, page, with_ocr=with_ocr and seed < OCR_PAGES)
        bench.reader.close()
    print(circumstances())
    for name in sorted(scores):
        print(scores[name].row(name))
    for name, times in sorted(bench.ms.items()):
        print(f"{name}: {np.median(times):.0f} ms, p90 {np.quantile(times, 0.9):.0f} ms")
    for name in sorted(scores):
        for text, repeated in Counter(scores[name].wrong).items():
            print(f"  {name}, {text}" + (f" ({repeated} times)" if repeated > 1 else ""))


def _pages(seed: int) -> Iterator[tuple[str, TruePage]]:
    yield "ticks", tick_page(seed)
    yield "codes", code_page(seed)
    yield "drawn codes", code_page(seed, drawn=True)
    yield "plain", plain_page(seed)


def _measure(bench: Bench, scores: dict[str, Score], seed: int, kind: str, page: TruePage, *, with_ocr: bool) -> None:
    content = bench.read(page.pdf, "pdf", f"opening a PDF, {kind}")
    work = PageInput(
        1, content.width_px, content.height_px, content.text_lines, None, content.scans, findings=content.findings
    )
    found = bench.find(work, content.text_lines or (), f"marks of a PDF, {kind}")
    scale = DPI / 72
    marks = [(mark, _scaled(mark.box, scale)) for mark in page.marks]
    codes = [(code, _scaled(code.box, scale)) for code in page.codes]
    _add(scores, f"PDF, {kind}", seed, (marks, codes), found)
    lines = content.text_lines or ()
    scan = _scan(page, lines, seed, [box for _, box in (*marks, *codes)])
    _, packed = cv2.imencode(".png", cv2.cvtColor(scan.picture, cv2.COLOR_RGB2BGR))
    read = bench.read(packed.tobytes(), "image", f"opening a scan, {kind}")
    pixels = read.pixels
    assert pixels is not None
    whole = PageInput(1, read.width_px, read.height_px, None, lambda: pixels, findings=read.findings)
    inputs = {"page": whole, "rotation": scan.rotation, "angle": scan.angle, "sheet": None}
    upright: PageInput = UPRIGHT_PAGE.run(inputs, {})
    righting = Righting(read.width_px, read.height_px, scan.rotation, scan.angle)
    moved = [Box.of_corners(righting.on_shown(line.box).tolist()) for line in scan.lines]
    boxes, texts = moved[len(lines) :], moved[: len(lines)]
    placed = tuple(replace(line, box=box.corners()) for line, box in zip(lines, texts, strict=True))
    marks = [(mark, box) for (mark, _), box in zip(marks, boxes, strict=False)]
    codes = [(code, box) for (code, _), box in zip(codes, boxes[len(marks) :], strict=True)]
    _add(scores, f"scan, {kind}", seed, (marks, codes), bench.find(upright, placed, f"marks of a scan, {kind}"))
    if with_ocr:
        _add(scores, f"scan read, {kind}", seed, (marks, codes), _read(whole))


def _read(page: PageInput) -> Mapping[str, Json]:
    return builtin_engine().run(builtin_specs()["ocr"], page, {}).result


def _add(scores: dict[str, Score], name: str, seed: int, true: tuple[Json, Json], found: Mapping[str, Json]) -> None:
    scores.setdefault(f"{name}: marks", Score()).add_marks(f"page {seed}", true[0], found["marks"])
    scores.setdefault(f"{name}: codes", Score()).add_codes(f"page {seed}", true[1], found["codes"])


def _scaled(sides: tuple[float, float, float, float], scale: float) -> Box:
    return Box(*(side * scale for side in sides))


def _scan(page: TruePage, lines: tuple[TextLine, ...], seed: int, boxes: list[Box]) -> GeneratedPage:
    """Return the page as it looks when it was scanned: turned, askew, noisy, blurred, in JPEG."""
    document = pypdfium2.PdfDocument(page.pdf)
    picture = np.ascontiguousarray(document[0].render(scale=DPI / 72, rev_byteorder=True).to_numpy()[..., :3])
    document.close()
    truth = [TruthLine(line.text, line.box, 0) for line in lines if line.box]
    truth += [TruthLine("", box.corners(), 0) for box in boxes]
    clean = GeneratedPage(picture, [], [], truth, "form", "en", dpi=DPI)
    chance = random.Random(seed)
    return degrade(
        clean,
        seed,
        dpi=chance.choice((150, 200, 200, 300)),
        rotation=chance.choice((0, 0, 90, 180, 270)),
        skew=chance.choice((0.0, 0.0, 1.2, -2.0)),
        noise=chance.choice((0.0, 5.0, 10.0)),
        shadow=chance.choice((0.0, 0.0, 0.3)),
        jpeg=chance.choice((None, 85, 60)),
        blur=chance.choice((0.0, 0.5, 0.9)),
    )


if __name__ == "__main__":
    numbers = [argument for argument in sys.argv[1:] if argument.isdigit()]
    main(int(numbers[0]) if numbers else 30, with_ocr="--ocr" in sys.argv)
