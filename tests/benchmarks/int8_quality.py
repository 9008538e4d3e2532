"""Compare the quality of pages that `read` and its 8-bit networks read, with the errors that they really have.

Run from the repository's root: python -m tests.benchmarks.int8_quality [pages]

The pages are like those to which the quality was fitted, and none of them is among those or the calibration.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

from inference.core.contracts import TextLine, VersionSpec
from inference.engine.engine import local_engine
from inference.factory.page_samples import DETECTION, RECOGNITION, calibration_samples, int8_options
from inference.factory.transforms import transform
from inference.quality.facts import UnreadLine, facts_of
from inference.quality.quality import REVIEW_BELOW, quality_of
from tests.benchmarks.bench_documents import page_errors, read_lines, worn
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.documents import GeneratedPage
from tests.benchmarks.documents.measures import calibration_error
from tests.benchmarks.fit_quality import MAX_ERRORS, pages
from tests.benchmarks.models_report.ocr import CALIBRATION_PAGES, FIRST_CALIBRATION_SEED, read_page
from tests.inference.registry.builtin.served import builtin_specs

PAGES = 110
FIRST_SEED = 1_700_000
Judged = tuple[float, bool]
"""The quality of a page, and whether it has few errors."""


def int8(exact: VersionSpec, folder: Path) -> VersionSpec:
    seeds = range(FIRST_CALIBRATION_SEED, FIRST_CALIBRATION_SEED + CALIBRATION_PAGES)
    drawn = [worn(seed, turn=False).picture for seed in seeds]
    samples = calibration_samples(drawn, Path(exact.artifacts[DETECTION]))
    made = {
        role: transform(
            Path(exact.artifacts[role]), int8_options(), into=folder / f"{role}.onnx", samples=samples[role]
        )
        for role in (DETECTION, RECOGNITION)
    }
    artifacts = {**exact.artifacts, **{role: str(each.path) for role, each in made.items()}}
    return replace(exact, model="read-int8", artifacts=artifacts)


def judged(spec: VersionSpec, drawn: Iterator[GeneratedPage]) -> Iterator[Judged]:
    engine = local_engine()
    for page in drawn:
        result = read_page(engine, spec, page.picture)
        lines = [TextLine(line["text"], line["box"], line["confidence"]) for line in result["lines"]]
        unread = [UnreadLine(line["box"], line["script"]) for line in result["unread"]]
        yield quality_of(facts_of(lines, unread, 1.0)), page_errors(page, read_lines(result)) <= MAX_ERRORS


def report(name: str, found: list[Judged]) -> None:
    qualities, good = [quality for quality, _ in found], [float(few) for _, few in found]
    print(
        f"{name}: {len(found)} pages, mean quality {fmean(qualities):.3f}; below {REVIEW_BELOW}: "
        f"{fmean(quality < REVIEW_BELOW for quality in qualities):.1%}; at most {MAX_ERRORS:.1%} of errors: "
        f"{fmean(good):.1%}; expected calibration error {calibration_error(qualities, good):.3f}"
    )


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    exact = builtin_specs()["read"]
    print(circumstances())
    with TemporaryDirectory() as folder:
        for name, spec in (("fp32", exact), ("int8", int8(exact, Path(folder)))):
            report(name, list(judged(spec, pages(count, FIRST_SEED))))


if __name__ == "__main__":
    main()
