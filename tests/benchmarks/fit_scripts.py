"""Fit the weights that tell the script of a line, write them into the package, and print how good they are.

Run from the repository's root: python -m tests.benchmarks.fit_scripts [pages of each script]

It reads generated pages in each script for which fonts are installed, clean and worn, and pages in Latin of all kinds.
A quarter of them, of other seeds, only measures.
"""

import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime

from inference.core.contracts import Pixels
from inference.runtime.coarse_look import coarse_scale
from inference.runtime.text_detection import detector_input, find_boxes, prepare_page
from inference.runtime.text_recognition import (
    BLANK,
    CharacterSet,
    cut_line,
    own_steps,
    recognizer_input,
    scaled_line,
)
from inference.scripts.leanings import LEAST
from inference.scripts.page_scripts import LATIN, OTHER, READ_SCRIPTS, TURNED, ReadLine, scripts_of
from inference.scripts.weights import FILE, Weights
from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.documents import GeneratedPage, degrade, generate
from tests.benchmarks.documents.generation import KINDS
from tests.benchmarks.documents.scripts import OTHERS, available, script_page
from tests.inference.registry.builtin.served import builtin_specs

PAGES = 40
LATIN_PAGES = 2
"""The factor by which there are more pages in Latin, because they are of many kinds."""
SEED = 300_000
MEASURED = 4
"""Each page whose number is a multiple of this only measures."""
TURNED_SHARE = 0.2
"""The share of the lines that are read upside down too."""
CHARACTERS = 128
STIFFNESS = 0.01
STEPS, STEP = 1500, 0.5

Numbers = npt.NDArray[np.float64]
Found = tuple[str, float, float, npt.NDArray[np.float16]]


@dataclass(frozen=True)
class Line:
    script: str
    page: int
    text: str
    confidence: float
    length: float
    logs: npt.NDArray[np.float16]
    """The mean logarithm of the probability of each of the recognizer's classes."""


class Recognizer:
    def __init__(self) -> None:
        artifacts = builtin_specs()["read"].artifacts
        self._detection, self._recognition = (
            onnxruntime.InferenceSession(artifacts[role]) for role in ("detection", "recognition")
        )
        listed = self._recognition.get_modelmeta().custom_metadata_map["character"]
        self.characters = CharacterSet(listed)

    def lines(self, pixels: Pixels, chance: random.Random) -> Iterator[tuple[bool, Found]]:
        """Yield each line as it is read, and some of them upside down."""
        page = prepare_page(pixels)
        found = self._run(self._detection, detector_input(page.image, min(1.0, coarse_scale(page.image))))[0, 0]
        for box in find_boxes(found, width=page.image.shape[1], height=page.image.shape[0]):
            line = cut_line(page.image, box)
            yield False, self._read(line)
            if chance.random() < TURNED_SHARE:
                yield True, self._read(np.ascontiguousarray(np.rot90(line, 2)))

    def _read(self, line: Pixels) -> Found:
        scaled = scaled_line(line)
        chances = self._run(self._recognition, recognizer_input([scaled], scaled.padded_width))
        (read,) = self.characters.decode(chances, scaled.padded_width, [scaled])
        own = chances[0, : own_steps(scaled, scaled.padded_width, chances.shape[1])]
        logs = np.log(np.maximum(own, LEAST)).mean(axis=0).astype(np.float16)
        return read.text, read.confidence, scaled.length, logs

    def _run(self, session: Any, tensor: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        answer: npt.NDArray[np.float32] = session.run(None, {session.get_inputs()[0].name: tensor})[0]
        return answer


def samples(pages: int) -> Iterator[tuple[str, int, Pixels]]:
    for number in range(pages * LATIN_PAGES):
        chance = random.Random(number)
        page = generate(
            SEED + number, kind=chance.choice(KINDS), language=chance.choice(["en", "de"]), dpi=_dpi(chance)
        )
        yield LATIN, number, _worn(page, chance, number).picture[: page.picture.shape[0] // 2]
    for script in available():
        count = max(6, pages // 4) if script in _others() else pages
        for number in range(count):
            chance = random.Random(f"{script} {number}")
            page = script_page(SEED + number, script, dpi=_dpi(chance), lines=chance.randint(4, 8))
            bottom = max(y for line in page.lines for _, y in line.box) + 0.6 * page.dpi
            yield _label(script), number, _worn(page, chance, number).picture[: int(bottom)]


def _dpi(chance: random.Random) -> int:
    return chance.choice([100, 150, 200, 200, 300])


def _worn(page: GeneratedPage, chance: random.Random, seed: int) -> GeneratedPage:
    if chance.random() < 0.4:
        return page
    return degrade(
        page,
        seed,
        skew=chance.uniform(-0.2, 0.2),
        noise=chance.choice([0, 4, 8, 16, 30]),
        shadow=chance.choice([0, 0.3]),
        jpeg=chance.choice([None, 20, 40, 60]),
        blur=chance.choice([0, 0.7, 1.2, 2]),
        fax=chance.random() < 0.15,
    )


def _others() -> set[str]:
    return {name.lower() for name in OTHERS}


def _label(script: str) -> str:
    return OTHER if script in _others() else script


def features(lines: Sequence[Line], chosen: Sequence[int]) -> Numbers:
    """Return the same as `leanings` does, from the logarithms of all classes."""
    found = np.stack([line.logs[[BLANK, *chosen]] for line in lines]).astype(np.float64)
    found[:, 1:] -= found[:, 1:].mean(axis=1, keepdims=True)
    return found


def best_characters(lines: Sequence[Line], labels: Numbers, characters: Sequence[str]) -> list[int]:
    """Return the classes that differ most between scripts, compared with how they vary within one."""
    logs = np.stack([line.logs for line in lines]).astype(np.float32)
    logs -= logs[:, 1:].mean(axis=1, keepdims=True)
    groups = [logs[labels == label] for label in range(int(labels.max()) + 1)]
    means, spread = (np.stack([getattr(group, of)(axis=0) for group in groups]) for of in ("mean", "std"))
    worth = means.std(axis=0) / (np.sqrt((spread**2).mean(axis=0)) + 0.3)
    unusable = [place for place, text in enumerate(characters) if len(text) != 1 or text.isspace()]
    worth[unusable] = 0
    return [int(place) for place in np.argsort(-worth)[:CHARACTERS]]


def fitted(rows: Numbers, labels: Numbers, scripts: Sequence[str], characters: Sequence[str]) -> Weights:
    """Return the weights by logistic regression. Each script counts the same, however many lines it has."""
    middle, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    scaled = (rows - middle) / spread
    wanted = np.eye(len(scripts))[labels.astype(int)]
    counts = np.bincount(labels.astype(int))
    worth = (len(labels) / len(scripts) / counts[labels.astype(int)])[:, None]
    bias, slopes = np.zeros(len(scripts)), np.zeros((rows.shape[1], len(scripts)))
    last_bias, last_slopes = bias, slopes
    for step in range(STEPS):
        ahead = step / (step + 3)
        at_bias, at_slopes = bias + ahead * (bias - last_bias), slopes + ahead * (slopes - last_slopes)
        last_bias, last_slopes = bias, slopes
        missed = worth * (Weights((), (), at_bias, at_slopes).probabilities(scaled) - wanted)
        bias = at_bias - STEP / 8 * missed.mean(axis=0)
        slopes = at_slopes - STEP / 8 * (scaled.T @ missed / len(labels) + STIFFNESS * at_slopes)
    slopes = slopes / spread[:, None]
    return Weights(tuple(scripts), tuple(characters), bias - middle @ slopes, slopes)


def main() -> None:
    pages = int(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    recognizer = Recognizer()
    chance = random.Random(1)
    lines = [
        Line(TURNED if is_turned else script, number, *found)
        for script, number, pixels in samples(pages)
        for is_turned, found in recognizer.lines(pixels, chance)
    ]
    scripts = sorted({line.script for line in lines})
    labels = np.array([scripts.index(line.script) for line in lines])
    measures = np.array([line.page % MEASURED == 0 for line in lines])
    kept = [line for line, only in zip(lines, measures, strict=True) if not only]
    chosen = best_characters(kept, labels[~measures], recognizer.characters.all)
    characters = [recognizer.characters.all[at] for at in chosen]
    weights = fitted(features(kept, chosen), labels[~measures], scripts, characters)
    FILE.write_text(weights.to_json(), "utf-8")
    print(circumstances())
    report(weights, lines, features(lines, chosen), measures)


def report(weights: Weights, lines: Sequence[Line], rows: Numbers, measures: npt.NDArray[np.bool_]) -> None:
    chances = weights.probabilities(rows)
    by_page: dict[tuple[str, int], list[int]] = {}
    for place in map(int, np.flatnonzero(measures)):
        by_page.setdefault((lines[place].script, lines[place].page), []).append(place)
    alone, together, of_pages = Counter[str](), Counter[str](), Counter[str]()
    for (script, _), places in by_page.items():
        read = [ReadLine(lines[at].text, lines[at].confidence, lines[at].length, chances[at].tolist()) for at in places]
        decided = scripts_of(read, weights.scripts)
        alone[script] += sum(weights.scripts[chances[at].argmax()] == script for at in places)
        together[script] += sum(found == script for found in decided)
        of_pages[script] += len(places)
        wrong = Counter(found for found in decided if found != script)
        if wrong and script not in READ_SCRIPTS - {LATIN}:
            print(f"    {script}: {len(places)} lines, of which {dict(wrong)}")
    print("| script | lines | right alone | right with the page |\n|---|---|---|---|")
    # Lines that were read well are not judged, whatever their script.
    for script, count in sorted(of_pages.items()):
        print(f"| {script} | {count} | {alone[script] / count:.1%} | {together[script] / count:.1%} |")


if __name__ == "__main__":
    main()
