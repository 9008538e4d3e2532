"""Documents written by hand: some to fit with, and ten of each class that are never fitted to."""

from pathlib import Path
from typing import Literal

from inference.classes.weights import LABELS
from tests.benchmarks.classes.samples import Sample

MARK = "=== "


def written(part: Literal["fitting", "test"]) -> list[Sample]:
    return [sample for label in LABELS for sample in _read(part, label)]


def _read(part: str, label: str) -> list[Sample]:
    content = (Path(__file__).parent / part / f"{label}.txt").read_text("utf-8")
    parts = [document.partition("\n") for document in f"\n{content}".split(f"\n{MARK}")[1:]]
    return [Sample(label, "written", language.strip(), text.strip()) for language, _, text in parts]
