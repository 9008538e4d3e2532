"""Compare the engine on a scan of 20 pages with the rapidocr package called page by page: same models, same cores.

Run from the repository's root: python -m tests.benchmarks.bench_ocr
"""

import glob
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from multiprocessing import get_context
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from rapidocr import RapidOCR

from inference.core.calls import Call
from inference.core.contracts import PageInput, Pixels
from inference.engine.engine import local_engine
from tests.benchmarks.circumstances import circumstances
from tests.inference.registry.builtin.served import builtin_specs

PAGES = 20
PAGES_AT_ONCE = 4
MUST_GAIN = 1.3
A4_AT_200_DPI = (1654, 2339)
VOCABULARY = """
invoice total amount due date customer contract payment between parties quarterly revenue increased
compared with the previous year section agreement delivery order number services provided during period
Berlin Hamburg 1,234.50 2024 EUR VAT 19% DE44 5001
"""
WORDS = VOCABULARY.split()


def scan(number: int) -> Pixels:
    """Draw a page of text with the grain of a scanner."""
    chance = random.Random(number)
    page = Image.new("RGB", A4_AT_200_DPI, "white")
    draw = ImageDraw.Draw(page)
    file = font_file()
    font = ImageFont.truetype(file, 32) if file else ImageFont.load_default(size=32)
    top = 120
    while top < A4_AT_200_DPI[1] - 180:
        words = chance.choices(WORDS, k=chance.choice([2, 3, 5, 8, 9, 9, 9]))
        draw.text((140, top), " ".join(words), fill="black", font=font)
        top += chance.choice([48, 52, 60, 90])
    grain = np.random.default_rng(number).normal(0, 6, (*A4_AT_200_DPI[::-1], 3))
    return np.clip(np.asarray(page) + grain, 0, 255).astype(np.uint8)


def font_file() -> str | None:
    return next(iter(sorted(glob.glob("/usr/share/fonts/**/DejaVuSans.ttf", recursive=True))), None)


Way = Callable[[Sequence[Pixels]], tuple[list[list[str]], float]]
"""A function that returns the texts of the pages, and the seconds that they took."""


@contextmanager
def packages_way() -> Iterator[Way]:
    """Yield the package's way in a separate process, where no setting of the product applies."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        yield lambda pages: process.submit(read_by_package, list(pages)).result()


@cache
def package() -> RapidOCR:
    return RapidOCR(params={"Global.log_level": "error"})


def read_by_package(pages: Sequence[Pixels]) -> tuple[list[list[str]], float]:
    reader, started = package(), time.perf_counter()
    answers: list[Any] = [reader(np.ascontiguousarray(page[:, :, ::-1]), use_cls=False) for page in pages]
    return [list(answer.txts or ()) for answer in answers], time.perf_counter() - started


def engines_way() -> Way:
    engine, spec = local_engine(), builtin_specs()["read"]
    engine.load(spec)

    def read(page: Pixels) -> list[str]:
        height, width = page.shape[:2]
        work = PageInput(1, width, height, text_lines=None, load_pixels=lambda: page)
        return [line["text"] for line in engine.run(spec, work, {}, Call()).result["lines"]]

    def read_all(pages: Sequence[Pixels]) -> tuple[list[list[str]], float]:
        started = time.perf_counter()
        with ThreadPoolExecutor(PAGES_AT_ONCE) as pool:
            return list(pool.map(read, pages)), time.perf_counter() - started

    return read_all


def main() -> None:
    with packages_way() as package_reads:
        compare({"rapidocr, page by page": package_reads, f"engine, {PAGES_AT_ONCE} pages at once": engines_way()})


def compare(ways: Mapping[str, Way]) -> None:
    pages = [scan(number) for number in range(PAGES)]
    for read in ways.values():
        read(pages[:1])
    # The ways take turns, so that both meet the same other work on this machine.
    seconds = dict.fromkeys(ways, 0.0)
    lines: dict[str, list[list[str]]] = {name: [] for name in ways}
    for start in range(0, PAGES, PAGES_AT_ONCE):
        for name, read in ways.items():
            texts, taken = read(pages[start : start + PAGES_AT_ONCE])
            lines[name] += texts
            seconds[name] += taken
    theirs, ours = ways
    print(circumstances())
    print(f"{PAGES} pages, {sum(map(len, lines[theirs]))} lines\n")
    print("| way | pages/s | s per page | gain |")
    print("|---|--|--|--|")
    for name, taken in seconds.items():
        print(f"| {name} | {PAGES / taken:.2f} | {taken / PAGES:.2f} | x{seconds[theirs] / taken:.2f} |")
    same = sum(one == other for one, other in zip(lines[ours], lines[theirs], strict=True))
    gain = seconds[theirs] / seconds[ours]
    print(f"\nidentical text on {same} of {PAGES} pages", end="; ")
    print(f"must be x{MUST_GAIN}: {'held' if gain >= MUST_GAIN and same == PAGES else 'MISSED'} (x{gain:.2f})")


if __name__ == "__main__":
    main()
