"""Train a class set on ten look-alike business papers of eight kinds each, test it on 160 others, and split stacks.

Run from the repository's root: python -m tests.benchmarks.bench_class_sets [stacks] [scans]
The engine is called as the product calls it: with the features of stored results, of up to three pages of an example.
Half of the tested papers are of firms of which there is no example. The weights of `boundaries` were fitted to others.
With `scans`, the papers of firms without examples are also printed, scanned and read by `parse`: some 230 pages.
"""

import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from statistics import fmean

from inference.class_sets.class_set import ClassSet
from inference.class_sets.evaluation import UNSURE
from inference.class_sets.page_features import PageContent, PageFeatures
from inference.class_sets.segments import segments
from inference.class_sets.stored_pages import pages_from_json, pages_to_json
from inference.class_sets.training import MAX_CLASSES, MAX_EXAMPLES, Example, train
from jobs.class_sets.reading import deciding_pages, page_features
from tests.benchmarks.bench_documents import Reader, Row
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.class_sets.fit_boundaries import usual_classes
from tests.benchmarks.class_sets.papers import Paper, paper, scans
from tests.benchmarks.class_sets.stacks import Stack, stack
from tests.benchmarks.class_sets.wording import KINDS
from tests.benchmarks.classes.samples import Sample, laid_out, sample_of
from tests.benchmarks.classes.wear import misread
from tests.benchmarks.documents import generate
from tests.benchmarks.documents.fonts import BUILT_IN
from tests.benchmarks.documents.measures import calibration_error

KNOWN_FIRMS, NEW_FIRMS = range(8), range(100, 120)
EXAMPLES, TESTED, STACKS = 10, 20, 60
MISREAD = 0.02
SCANNED_DPI = 150
STRANGERS = ("letter", "contract", "form", "report", "menu", "news", "manual", "recipe")
Read = Callable[[Paper], Sequence[PageFeatures]]


class Scans:
    """Reads papers that were printed and scanned, with the built-in `parse`."""

    def __init__(self) -> None:
        self.reader = Reader()

    def __call__(self, each: Paper) -> list[PageFeatures]:
        results = [
            dict(self.reader.run("parse", page.picture)) for page in scans(each.kind, each.firm, each.seed, SCANNED_DPI)
        ]
        return [
            page_features(json.loads(json.dumps({**result, "tables": len(result.get("tables") or ())})))
            for result in results
        ]


def deciding(pages: Sequence[PageFeatures]) -> list[PageFeatures]:
    return deciding_pages(dict(enumerate(pages)))


def example(name: str, label: str, pages: Sequence[PageFeatures]) -> Example:
    """Return an example as it is stored when it is added to a class."""
    kept: Sequence[PageContent] = pages_from_json(json.loads(json.dumps(pages_to_json(deciding(pages)))))
    return Example(name, label, kept)


def examples() -> list[Paper]:
    return [
        paper(kind, KNOWN_FIRMS[(number + at) % len(KNOWN_FIRMS)], number)
        for at, kind in enumerate(KINDS)
        for number in range(EXAMPLES)
    ]


def tested() -> list[Paper]:
    """Return papers of each kind, every second of a firm with an example of some kind."""
    firms = [firm for pair in zip(NEW_FIRMS, (*KNOWN_FIRMS, *KNOWN_FIRMS, *KNOWN_FIRMS), strict=False) for firm in pair]
    return [
        paper(kind, firms[(number + 6 * at) % len(firms)], 1000 + number)
        for at, kind in enumerate(KINDS)
        for number in range(TESTED)
    ]


def worn(page: Sample, chance: random.Random) -> Sample:
    lines = tuple(replace(line, text=misread(line.text, chance, MISREAD)) for line in page.lines)
    return laid_out(replace(page, lines=lines))


def labels(
    trained: ClassSet, papers: Sequence[Paper], pages: Sequence[Sequence[PageFeatures]], what: str
) -> Iterator[Row]:
    found = [trained.classify(deciding(each)) for each in pages]
    right = [each.label == paper.kind for each, paper in zip(found, papers, strict=True)]
    best = [next(iter(each.probabilities.items())) for each in found]
    truly = [float(label == paper.kind) for (label, _), paper in zip(best, papers, strict=True)]
    of_new = [each for each, paper in zip(right, papers, strict=True) if paper.firm in NEW_FIRMS]
    unsure = sum(each.label == UNSURE for each in found)
    yield Row(f"{what}: right, of {len(papers)}", f"{fmean(right):.1%}", ">= 95 %")
    yield Row(f"{what}: right, of {len(of_new)} of firms without examples", f"{fmean(of_new):.1%}", "")
    yield Row(f"{what}: unsure; wrong label", f"{unsure}; {len(papers) - sum(right) - unsure}", "")
    yield Row(f"{what}: most probable class right", f"{fmean(truly):.1%}", "")
    error = calibration_error([chance for _, chance in best], truly)
    yield Row(f"{what}: expected calibration error", f"{error:.3f}", "<= 0.05")


def splits(trained: ClassSet, stacks: Sequence[Stack]) -> Iterator[Row]:
    for name in ("class set", "usual classes"):
        exact, sure, starts, wrong = [], [], 0, 0
        for each in stacks:
            pages = [page for one in each.papers for page in one.features()]
            if name == "class set":
                chances = [page.probabilities for page in trained.classify(pages).pages]
            else:
                chances = [usual_classes(page) for one in each.papers for page in one.pages]
            found = segments(pages, chances)
            ranges = {(segment.first_page, segment.last_page) for segment in found}
            exact.append(ranges == set(each.ranges()))
            starts += len(pages) - 1
            wrong += len({first for first, _ in ranges} ^ {first for first, _ in each.ranges()})
            sure += [
                (segment.confidence, (segment.first_page, segment.last_page) in each.ranges()) for segment in found
            ]
        yield Row(f"{len(stacks)} stacks, {name}: split exactly", f"{fmean(exact):.1%}", "")
        yield Row(f"{len(stacks)} stacks, {name}: pages right, of {starts}", f"{1 - wrong / starts:.1%}", "")
        yield Row(f"{len(stacks)} stacks, {name}: papers found whole", f"{fmean(right for _, right in sure):.1%}", "")
        error = calibration_error([chance for chance, _ in sure], [float(right) for _, right in sure])
        yield Row(f"{len(stacks)} stacks, {name}: expected calibration error", f"{error:.3f}", "")


def learned(taught: Sequence[Paper], read: Read) -> list[Example]:
    return [example(str(at), each.kind, read(each)) for at, each in enumerate(taught)]


def largest() -> list[Example]:
    """Return the most examples that a class set may have: papers of 20 groups of firms and kinds."""
    return [
        example(f"{group} {number}", f"group {group}", paper(KINDS[group % 8], 400 + group, number).features())
        for group in range(MAX_CLASSES)
        for number in range(MAX_EXAMPLES)
    ]


def training(given: Sequence[Example], what: str, goal: str) -> Row:
    started = time.process_time()
    train(given)
    return Row(f"training on {what} with leave-one-out, s of a core", f"{time.process_time() - started:.2f}", goal)


def rows(count: int) -> Iterator[Row]:
    chance = random.Random(7)
    taught, papers = examples(), tested()
    given = learned(taught, Paper.features)
    trained = train(given)
    yield training(given, f"{len(given)} papers", "<= 10")
    yield training(largest(), f"{MAX_CLASSES} x {MAX_EXAMPLES} papers", "<= 1")
    yield Row("class set as JSON, kB", f"{len(json.dumps(trained.to_json())) / 1000:.0f}", "<= 300")
    yield Row("leave-one-out: right", f"{trained.evaluation.accuracy:.1%}", "")
    yield Row("bound of unsure", f"{trained.min_probability}", "")
    yield from labels(trained, papers, [each.features() for each in papers], "true text")
    misread_pages = [
        replace(each, pages=tuple(worn(page, chance) for page in each.pages)).features() for each in papers
    ]
    yield from labels(trained, papers, misread_pages, f"{MISREAD:.0%} of letters misread")
    others = [
        Paper(kind, 0, number, (sample_of(generate(number, kind, language=language, dpi=72, font=BUILT_IN)),))
        for number, (kind, language) in enumerate(zip(STRANGERS * 4, ("en", "de") * 16, strict=True))
    ]
    unsure = [trained.classify(each.features()).label == UNSURE for each in others]
    yield Row(f"{len(others)} papers of no class: unsure", f"{fmean(unsure):.1%}", "")
    yield from splits(trained, [stack((*KNOWN_FIRMS, *NEW_FIRMS), seed) for seed in range(count)])
    print(f"\nconfusion: {json.dumps(trained.evaluation.confusion)}\n")


def scanned() -> Iterator[Row]:
    read = Scans()
    trained = train(learned(examples(), read))
    papers = [each for each in tested() if each.firm in NEW_FIRMS]
    yield Row("scans, leave-one-out: right", f"{trained.evaluation.accuracy:.1%}", "")
    yield from labels(trained, papers, [read(each) for each in papers], "scans")


def main() -> None:
    print(circumstances())
    print("\n| what | found | goal |\n|---|---|---|")
    given = sys.argv[1:]
    count = next((int(each) for each in given if each.isdecimal()), STACKS)
    for row in chain(rows(count), scanned() if "scans" in given else ()):
        print(f"| {row.what} | {row.value} | {row.goal} |", flush=True)


if __name__ == "__main__":
    main()
