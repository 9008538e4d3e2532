"""Read generated pages as `ocr` does: righted, in order, with what quality, and how fast beside the rapidocr package.

Run from the repository's root: python -m tests.benchmarks.bench_documents [pages for each figure]
The seeds here are for testing alone; thresholds were chosen on others.
"""

import os
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, median, pstdev
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from inference.core.calls import Call
from inference.core.contracts import Json, PageInput, Pixels
from inference.engine.engine import Engine, local_engine
from inference.runtime.line_scripts import LANGUAGE_ROLE
from jobs.documents.reader import DocumentReader
from tests.benchmarks.bench_ocr import package
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.documents import GeneratedPage, degrade, generate
from tests.benchmarks.documents.generation import CLASSES, KINDS
from tests.benchmarks.documents.measures import calibration_error, character_error_rate, kendall_tau, located_error_rate
from tests.benchmarks.documents.scripts import available, script_page
from tests.inference.registry.builtin.served import builtin_specs
from tests.samples.pdfs import text_pdf

FIRST_SEED = 900_000
PAGES = 40
TEXT_PAGES = 50
MAX_SKEW = 15.0
RIGHTED_WITHIN = 0.5
"""The degrees within which a skew counts as taken out."""
FEW_ERRORS = 0.01
GOOD_QUALITY = 0.9


class Reader:
    def __init__(self) -> None:
        self._engine: Engine = local_engine()
        self._specs = builtin_specs()

    def run(self, model: str, pixels: Pixels) -> Mapping[str, Json]:
        return self.run_page(model, _as_input(pixels))

    def read_in(self, languages: Mapping[str, Path], pixels: Pixels) -> Mapping[str, Json]:
        """Run `ocr` with the data of these languages."""
        ocr, read = self._specs["ocr"], self._specs["read"]
        data = {f"{LANGUAGE_ROLE}{language}": str(path) for language, path in languages.items()}
        read = replace(read, artifacts={**read.artifacts, **data}, config={**read.config, "languages": list(languages)})
        spec = replace(ocr, steps={**ocr.steps, "read": read})
        return self._engine.run(spec, _as_input(pixels), {}, Call()).result

    def run_page(self, model: str, work: PageInput) -> Mapping[str, Json]:
        return self._engine.run(self._specs[model], work, {}, Call()).result


def _as_input(pixels: Pixels) -> PageInput:
    height, width = pixels.shape[:2]
    return PageInput(1, width, height, text_lines=None, load_pixels=lambda: pixels)


@dataclass(frozen=True)
class Row:
    what: str
    value: str
    goal: str


def read_words(result: Mapping[str, Json]) -> list[str]:
    return [word for line in result["lines"] for word in line["text"].split()]


def page_errors(page: GeneratedPage, lines: Sequence[tuple[str, Any]]) -> float:
    """Return the share of wrong characters, line by line, whatever their order on the page."""
    return located_error_rate([(word.text, word.box) for word in page.words], lines)


def read_lines(result: Mapping[str, Json]) -> list[tuple[str, Any]]:
    return [(line["text"], line["box"]) for line in result["lines"]]


def worn(seed: int, *, turn: bool = True) -> GeneratedPage:
    chance = random.Random(seed)
    kind = chance.choice(KINDS)
    page = generate(
        seed,
        kind=kind,
        columns=chance.choice([1, 2, 3, 4]) if kind == "columns" else None,
        language=chance.choice(["en", "de"]),
        dpi=chance.choice([100, 150, 200, 300]),
    )
    return degrade(
        page,
        seed,
        rotation=chance.choice([0, 90, 180, 270]) if turn else 0,
        skew=chance.uniform(-MAX_SKEW, MAX_SKEW) if turn else 0.0,
        noise=chance.choice([0, 4, 8, 16]),
        shadow=chance.choice([0, 0.3]),
        jpeg=chance.choice([None, 30, 60]),
        blur=chance.choice([0, 0.7, 1.2]),
    )


def righted(reader: Reader, count: int) -> Iterator[Row]:
    right = 0
    for seed in range(FIRST_SEED, FIRST_SEED + 4 * count):
        page = worn(seed)
        turn = reader.run("orient", page.picture)
        right += turn["rotation"] == page.rotation and abs(turn["angle"] - page.angle) <= RIGHTED_WITHIN
    yield Row(f"righted, of {4 * count} worn pages", f"{right / (4 * count):.1%}", ">= 99.5 %")


def turned(reader: Reader, count: int) -> Iterator[Row]:
    """Compare the characters of turned pages with those of the same pages upright, in their order."""
    wrong: dict[bool, list[float]] = {True: [], False: []}
    for seed in range(FIRST_SEED + 2500, FIRST_SEED + 2500 + count // 2):
        for turn, errors in wrong.items():
            page = worn(seed, turn=turn)
            text = reader.run("ocr", page.picture)["text"]
            errors.append(character_error_rate(" ".join(word.text for word in page.words), text))
    more = 100 * (fmean(wrong[True]) - fmean(wrong[False]))
    yield Row(f"wrong characters of {count // 2} turned pages above upright, points", f"{more:.2f}", "<= 0.5")


def in_other_scripts(reader: Reader, count: int) -> Iterator[Row]:
    scripts = [name for name in available() if name not in ("latin", "handwriting", "chinese", "japanese")]
    found = []
    for number in range(count):
        script = scripts[number % len(scripts)]
        result = reader.run("ocr", script_page(FIRST_SEED + 40_000 + number, script, dpi=150, lines=12).picture)
        found.append("unknown_script" in [warning["code"] for warning in result["warnings"]] and result["needs_review"])
    yield Row(f"warned, of {count} pages in {len(scripts)} unknown scripts", f"{fmean(found):.1%}", "100 %")
    warned = []
    for number in range(count):
        kind, language = KINDS[number % len(KINDS)], ("en", "de")[number % 2]
        page = generate(FIRST_SEED + 45_000 + number, kind=kind, language=language, dpi=(150, 200, 300)[number % 3])
        warned.append(bool(reader.run("ocr", page.picture)["warnings"]))
    yield Row(f"warned, of {count} clean Latin pages", f"{fmean(warned):.1%}", "<= 1 %")


def in_other_languages(reader: Reader, count: int) -> Iterator[Row]:
    """Read pages with Tesseract where this machine has its data (`apt-get install tesseract-ocr-rus …`)."""
    for language, script in (("rus", "cyrillic"), ("ara", "arabic"), ("heb", "hebrew"), ("hin", "devanagari")):
        data = next(Path("/usr/share/tesseract-ocr").glob(f"*/tessdata/{language}.traineddata"), None)
        if data is None or script not in available():
            continue
        errors = []
        for number in range(max(2, count // 4)):
            page = script_page(FIRST_SEED + 50_000 + number, script, dpi=200, lines=12)
            text = reader.read_in({language: data}, page.picture)["text"]
            errors.append(character_error_rate(" ".join(word.text for word in page.words), text))
        yield Row(f"wrong characters of {len(errors)} pages, {language}", f"{fmean(errors):.2%}", "<= 3 %")


def ordered(reader: Reader, count: int) -> Iterator[Row]:
    by_columns: dict[int, list[float]] = {}
    for number in range(count):
        chance, columns = random.Random(number), 1 + number % 4
        page = generate(FIRST_SEED + 5000 + number, columns=columns, language=chance.choice(["en", "de"]), dpi=150)
        page = degrade(page, number, skew=chance.choice([0, chance.uniform(-5, 5)]), noise=4)
        tau = kendall_tau([word.text for word in page.words], read_words(reader.run("ocr", page.picture)))
        by_columns.setdefault(columns, []).append(tau)
    for columns, taus in sorted(by_columns.items()):
        yield Row(f"order of {columns} column(s), Kendall tau over {len(taus)} pages", f"{fmean(taus):.4f}", ">= 0.98")


def judged(reader: Reader, count: int) -> Iterator[Row]:
    found = []
    for seed in range(FIRST_SEED + 10_000, FIRST_SEED + 10_000 + count):
        page = worn(seed, turn=False)
        result = reader.run("ocr", page.picture)
        found.append((result["quality"], page_errors(page, read_lines(result)) <= FEW_ERRORS))
    good = [few for quality, few in found if quality >= GOOD_QUALITY]
    few = [quality >= GOOD_QUALITY for quality, few in found if few]
    yield Row(f"quality >= 0.9: few errors among {len(good)}", f"{fmean(good or [0]):.1%}", ">= 95 %")
    yield Row(f"pages with few errors that get it, of {len(few)}", f"{fmean(few or [0]):.1%}", ">= 80 %")


def classified(reader: Reader, count: int) -> Iterator[Row]:
    sure, right = [], []
    for number in range(count):
        kind, language = CLASSES[number % len(CLASSES)], ("en", "de")[number % 2]
        page = generate(FIRST_SEED + 20_000 + number, kind=kind, language=language, dpi=150)
        found = reader.run("parse", page.picture)["class"]
        best = max(found["probabilities"], key=found["probabilities"].__getitem__)
        sure.append(found["probabilities"][best])
        right.append(float(best == kind))
    yield Row(f"class right, of {count} pages", f"{fmean(right):.1%}", ">= 90 %")
    yield Row("expected calibration error of the classes", f"{calibration_error(sure, right):.3f}", "<= 0.05")


def timed(reader: Reader) -> Iterator[Row]:
    pages = {
        "dense page": (script_page(FIRST_SEED + 30_000, "latin", dpi=200, size_pt=10), "<= 0.65"),
        "half-empty page": (generate(FIRST_SEED + 30_001, kind="letter", dpi=200, font="DejaVu Sans"), "<= 0.4"),
    }
    for name, (page, goal) in pages.items():
        ours, theirs, bare = [], [], []
        bgr = np.ascontiguousarray(page.picture[:, :, ::-1])
        answer: Any = None
        result: Mapping[str, Json] = {}
        for _ in range(3):
            started = time.perf_counter()
            answer = package()(bgr)
            theirs.append(time.perf_counter() - started)
            started = time.perf_counter()
            reader.run("read", page.picture)
            bare.append(time.perf_counter() - started)
            started = time.perf_counter()
            result = reader.run("ocr", page.picture)
            ours.append(time.perf_counter() - started)
        theirs_wrong = page_errors(page, list(zip(answer.txts or (), answer.boxes, strict=True)))
        ratio = median(ours) / median(theirs)
        yield Row(f"{name}, {len(page.lines)} lines: time to rapidocr's", f"{ratio:.2f} ({median(ours):.1f} s)", goal)
        yield Row(
            f"{name}: wrong characters, ours and rapidocr's",
            f"{page_errors(page, read_lines(result)):.4f}, {theirs_wrong:.4f}",
            "not more",
        )
        yield Row(f"{name}: ocr to the bare reading", f"{median(ours) / median(bare):.2f}", "<= 1.25")


def taken(reader: Reader, count: int) -> Iterator[Row]:
    """Measure the processor time of scans of all kinds, which the scenarios of the simulator take for a page."""
    found_s = list[float]()
    for number in range(count):
        page = generate(FIRST_SEED + 40_000 + number, kind=KINDS[number % len(KINDS)], dpi=200)
        before_s = time.process_time()
        reader.run("ocr", page.picture)
        found_s.append(time.process_time() - before_s)
    mean_s = fmean(found_s)
    value = f"{mean_s:.2f}, {pstdev(found_s) / mean_s:.2f}"
    yield Row(f"`ocr` on a scan, of {count} of all kinds: seconds of a core, spread as a share", value, "none")


def with_text_layer(reader: Reader) -> Iterator[Row]:
    """Measure the processor time of this process and of its sandboxed child for pages that have text of their own."""
    documents = DocumentReader(children=1)
    text = "\n".join(f"Line {number} of a dense page, on which 4 staples cost 39.00 and 25.00." for number in range(52))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "text.pdf"
        path.write_bytes(text_pdf(*[text] * TEXT_PAGES))

        def run(number: int) -> None:
            page = documents.read_page(path, "pdf", number)
            reader.run_page("parse", PageInput(number, page.width_px, page.height_px, page.text_lines, None))

        run(1)  # This loads what later pages share.
        before = _processor_s(documents)
        for number in range(1, TEXT_PAGES + 1):
            run(number)
        each_ms = 1000 * (_processor_s(documents) - before) / TEXT_PAGES
    documents.close()
    yield Row(f"all of `parse` on a text-layer page, of {TEXT_PAGES}: ms of a core", f"{each_ms:.0f}", "<= 60")


def _processor_s(documents: DocumentReader) -> float:
    return time.process_time() + sum(_of_tree_s(pid) for pid in documents.child_pids())


def _of_tree_s(pid: int) -> float:
    """Return the processor time of a process, its descendants, and those of them that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own_s = sum(int(ticks) for ticks in fields[11:15]) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own_s + sum(_of_tree_s(int(child)) for child in children)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    reader = Reader()
    print(circumstances())
    print("\n| what | found | goal |\n|---|---|---|")
    for rows in (
        with_text_layer(reader),
        timed(reader),
        taken(reader, count),
        righted(reader, count),
        turned(reader, count),
        in_other_scripts(reader, count),
        in_other_languages(reader, count),
        ordered(reader, count),
        judged(reader, count),
        classified(reader, count),
    ):
        for row in rows:
            print(f"| {row.what} | {row.value} | {row.goal} |", flush=True)


if __name__ == "__main__":
    main()
