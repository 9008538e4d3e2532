"""Compares found marks and codes with the truth of a page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inference.layout.boxes import Box
from tests.benchmarks.marks.pages import TrueCode, TrueMark

Json = Any


@dataclass
class Score:
    expected: int = 0
    found: int = 0
    right: int = 0
    """The found ones that are right in all: box, tick and label, or symbology and text."""
    labels: int = 0
    false: int = 0
    wrong: list[str] = field(default_factory=list)

    def add_marks(self, where: str, true: Sequence[tuple[TrueMark, Box]], marks: Sequence[Mapping[str, Json]]) -> None:
        """Count marks. One is right if its box and its tick are."""
        self.expected += len(true)
        left = list(marks)
        for mark, box in true:
            match = next((each for each in left if _is_at(each["box"], box)), None)
            if match is None:
                self.wrong.append(f"{where}: missed {mark.label!r} {'x' if mark.checked else 'empty'}")
                continue
            left.remove(match)
            self.found += 1
            self.labels += _bare(match["label"]) == _bare(mark.label)
            if match["checked"] == mark.checked:
                self.right += 1
            else:
                self.wrong.append(f"{where}: {mark.label!r} is {mark.checked}, found {match['checked']}")
            if _bare(match["label"]) != _bare(mark.label):
                self.wrong.append(f"{where}: label {mark.label!r} found as {match['label']!r}")
        self.false += len(left)
        self.wrong += [f"{where}: false {each['label']!r} {each['box']}" for each in left]

    def add_codes(self, where: str, true: Sequence[tuple[TrueCode, Box]], codes: Sequence[Mapping[str, Json]]) -> None:
        """Count codes. One is right if its symbology, its text and its place are."""
        self.expected += len(true)
        left = list(codes)
        for code, box in true:
            match = next((each for each in left if _is_at(each["box"], box)), None)
            if match is None:
                self.wrong.append(f"{where}: missed {code.symbology} {code.text!r}")
                continue
            left.remove(match)
            self.found += 1
            if (match["symbology"], match["text"]) == (code.symbology, code.text):
                self.right += 1
            else:
                self.wrong.append(f"{where}: {code.symbology} {code.text!r} is {match['symbology']} {match['text']!r}")
        self.false += len(left)
        self.wrong += [f"{where}: false {each['symbology']} {each['text']!r}" for each in left]

    def row(self, name: str) -> str:
        share = 100 * self.right / max(1, self.expected)
        labels = f", labels {100 * self.labels / max(1, self.expected):.1f} %" if self.labels else ""
        return f"{name}: {self.right} of {self.expected} right ({share:.1f} %){labels}, {self.false} false"


def _bare(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())


def _is_at(corners: Json, box: Box) -> bool:
    """Return whether two boxes are at the same place: the middle of each lies in the other."""
    found = Box.of_corners(corners)
    return _has_middle(found, box) and _has_middle(box, found)


def _has_middle(outer: Box, inner: Box) -> bool:
    return outer.left <= inner.center <= outer.right and outer.top <= inner.middle <= outer.bottom
