"""Train a class set on ten look-alike business papers of eight kinds each, test it on 160 others, and split stacks.

Run from the repository's root: python -m tests.benchmarks.bench_class_sets [stacks]
Half of the tested papers are of firms of which there is no example. The weights of `boundaries` were fitted to others.
"""

import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from inference.class_sets.class_set import ClassSet
from inference.class_sets.evaluation import UNSURE
from inference.class_sets.page_features import PageFeatures, features_of
from inference.class_sets.segments import segments
from inference.class_sets.training import Example, train
from inference.core.calls import Call
from inference.core.contracts import TextInput
from tests.benchmarks.bench_documents import Row
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.class_sets.fit_boundaries import usual_classes
from tests.benchmarks.class_sets.papers import Paper, paper, result_of
from tests.benchmarks.class_sets.stacks import Stack, stack
from tests.benchmarks.class_sets.wording import KINDS
from tests.benchmarks.classes.samples import Sample, laid_out, sample_of
from tests.benchmarks.classes.wear import misread
from tests.benchmarks.documents import generate
from tests.benchmarks.documents.fonts import BUILT_IN
from tests.benchmarks.documents.measures import calibration_error
from tests.inference.registry.builtin.served import builtin_engine, builtin_specs

KNOWN_FIRMS, NEW_FIRMS = range(8), range(100, 120)
EXAMPLES, TESTED, STACKS = 10, 20, 60
MISREAD = 0.02
STRANGERS = ("letter", "contract", "form", "report", "menu", "news", "manual", "recipe")


class Embedder:
    """Embeds pages with the built-in model."""

    def __init__(self) -> None:
        self.engine, self.spec = builtin_engine(), builtin_specs()["embed"]
        self.engine.load(self.spec)

    def __call__(self, page: Sample) -> PageFeatures:
        answer = self.engine.run(self.spec, TextInput((page.text,), single=True), {}, Call(tenant="bench"))
        return features_of(result_of(page), answer.result["embedding"])


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
    found = [trained.classify(each) for each in pages]
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


def rows(count: int) -> Iterator[Row]:
    embed, chance = Embedder(), random.Random(7)
    taught, papers = examples(), tested()
    started = time.process_time()
    for each in taught:
        each.features()
    pages = sum(len(each.pages) for each in taught)
    taken = time.process_time() - started
    yield Row(f"features of {pages} pages, s of a core", f"{taken:.2f}", "")
    given = [Example(str(at), each.kind, [embed(page) for page in each.pages]) for at, each in enumerate(taught)]
    started = time.process_time()
    trained = train(given)
    yield Row("training with leave-one-out, s of a core", f"{time.process_time() - started:.2f}", "<= 10")
    yield Row("class set as JSON, kB", f"{len(json.dumps(trained.to_json())) / 1000:.0f}", "<= 300")
    yield Row("leave-one-out: right", f"{trained.evaluation.accuracy:.1%}", "")
    yield Row("bound of unsure", f"{trained.min_probability}", "")
    yield from labels(trained, papers, [[embed(page) for page in each.pages] for each in papers], "true text")
    bare = train([Example(str(at), each.kind, each.features()) for at, each in enumerate(taught)])
    yield from labels(bare, papers, [each.features() for each in papers], "true text without embeddings")
    misread_pages = [[embed(worn(page, chance)) for page in each.pages] for each in papers]
    yield from labels(trained, papers, misread_pages, f"{MISREAD:.0%} of letters misread")
    others = [
        generate(number, kind, language=("en", "de")[number % 2], dpi=72, font=BUILT_IN)
        for number, kind in enumerate(STRANGERS * 4)
    ]
    unsure = [trained.classify([embed(sample_of(page))]).label == UNSURE for page in others]
    yield Row(f"{len(others)} papers of no class: unsure", f"{fmean(unsure):.1%}", "")
    yield from splits(bare, [stack((*KNOWN_FIRMS, *NEW_FIRMS), seed) for seed in range(count)])
    print(f"\nconfusion: {json.dumps(trained.evaluation.confusion)}\n")


def main() -> None:
    print(circumstances())
    print("\n| what | found | goal |\n|---|---|---|")
    for row in rows(int(sys.argv[1]) if len(sys.argv) > 1 else STACKS):
        print(f"| {row.what} | {row.value} | {row.goal} |", flush=True)


if __name__ == "__main__":
    main()
