"""Fit the weights of a reading's quality, write them into the package, and print how well it tells good pages.

Run from the repository's root: python -m tests.benchmarks.fit_quality [pages]

It reads clean and worn pages as `ocr` does, and compares each with its truth. The quality is the probability that at
most MAX_ERRORS of the characters are wrong. A quarter of the pages only measures.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inference.core.contracts import TextLine
from inference.quality.facts import UnreadLine, facts_of
from inference.quality.quality import BIAS, FILE, terms_of
from tests.benchmarks.bench_documents import FEW_ERRORS, GOOD_QUALITY, Reader, page_errors, read_lines, worn
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.documents import GeneratedPage, generate
from tests.benchmarks.documents.generation import KINDS
from tests.benchmarks.documents.measures import calibration_error
from tests.benchmarks.documents.scripts import available, script_page

PAGES = 400
MAX_ERRORS = 0.015
SEED = 700_000
FOREIGN = 8
"""Each page whose number is a multiple of this is in another script."""
CLEAN = 3
"""Each other page whose number is a multiple of this is clean, as most scans are."""
MEASURED = 4
"""Each page whose number is a multiple of this, plus one, only measures."""
STIFFNESS = 0.0003
STEPS, STEP = 20_000, 0.5
BETTER_WITH_MORE = ("height",)

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    terms: dict[str, float]
    errors: float


def pages(count: int, first_seed: int = SEED) -> Iterator[GeneratedPage]:
    scripts = [script for script in available() if script not in ("latin", "handwriting")]
    for number in range(count):
        if number % FOREIGN == 0:
            yield script_page(first_seed + number, scripts[number // FOREIGN % len(scripts)], dpi=150)
        elif number % CLEAN == 0:
            kind, dpi = KINDS[number // CLEAN % len(KINDS)], (150, 200, 300)[number // CLEAN % 3]
            yield generate(first_seed + number, kind=kind, language=("en", "de")[number // CLEAN % 2], dpi=dpi)
        else:
            yield worn(first_seed + number, turn=False)


def judged(reader: Reader, page: GeneratedPage) -> Judged:
    result = reader.run("read", page.picture)
    lines = [TextLine(line["text"], line["box"], line["confidence"]) for line in result["lines"]]
    unread = [UnreadLine(line["box"], line["script"]) for line in result["unread"]]
    return Judged(dict(terms_of(facts_of(lines, unread, 1.0))), page_errors(page, read_lines(result)))


def fitted(rows: Numbers, wanted: Numbers, names: Sequence[str]) -> dict[str, float]:
    """Return the weights by logistic regression, where no term may count in the wrong direction."""
    middle, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    scaled = (rows - middle) / spread
    upward = np.array([name in BETTER_WITH_MORE for name in names])
    bias, slopes = 0.0, np.zeros(len(names))
    for _ in range(STEPS):
        missed = 1 / (1 + np.exp(-(bias + scaled @ slopes))) - wanted
        bias -= STEP * missed.mean()
        slopes -= STEP * (scaled.T @ missed / len(wanted) + STIFFNESS * slopes)
        slopes = np.where(upward, np.maximum(slopes, 0), np.minimum(slopes, 0))
    slopes /= spread
    weights = {BIAS: bias - float(middle @ slopes), **dict(zip(names, slopes.tolist(), strict=True))}
    return {name: round(float(weight), 3) for name, weight in weights.items()}


def chances(weights: dict[str, float], rows: Numbers, names: Sequence[str]) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-(weights[BIAS] + rows @ [weights[name] for name in names]))))


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    reader = Reader()
    report([judged(reader, page) for page in pages(count)])


def report(found: Sequence[Judged]) -> None:
    names = list(found[0].terms)
    rows = np.array([list(each.terms.values()) for each in found])
    errors = np.array([each.errors for each in found])
    good = (errors <= MAX_ERRORS).astype(float)
    measures = np.arange(len(found)) % MEASURED == 1
    weights = fitted(rows[~measures], good[~measures], names)
    FILE.write_text(json.dumps(weights, indent=2) + "\n", "utf-8")
    print(circumstances())
    print(weights)
    for name, chosen in (("fitted", ~measures), ("measured", measures)):
        quality, truth, few = chances(weights, rows[chosen], names), good[chosen], errors[chosen] <= FEW_ERRORS
        high = quality >= GOOD_QUALITY
        print(
            f"{name}: {len(truth)} pages, {few.mean():.0%} with few errors; those among quality >= {GOOD_QUALITY}: "
            f"{few[high].mean():.1%} of {high.sum()}; of those pages {high[few].mean():.1%} have it; "
            f"expected calibration error {calibration_error(quality.tolist(), truth.tolist()):.3f}"
        )


if __name__ == "__main__":
    main()
