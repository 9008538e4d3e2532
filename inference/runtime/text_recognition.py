"""The content of text lines: they are cut out of the page, put into batches by width, and decoded."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import east_asian_width

import cv2
import numpy as np
import numpy.typing as npt

from inference.core.contracts import Pixels
from inference.core.errors import ModelFailed

LINE_HEIGHT = 48
MIN_WIDTH = 96
"""The width to which a narrower line is padded. Less padding left a few more errors in the cells of tables."""
SQUEEZE = 0.8
"""The width of letters, as a share of their own, with which they are read as well as in full, and faster."""
MIN_SQUEEZED_HEIGHT = 28
"""The height in pixels of a line from which its letters are squeezed. Lower lines are blurred by their enlargement."""
MAX_WIDTH = 8192
"""The largest width. A line two thousand pixels long and three high is squeezed, so that it does not fill memory."""
WIDTH_STEP = 16
"""The step between padded widths. Lines run one by one, so that none is padded to the width of another."""
UPRIGHT_ASPECT = 1.5
"""The aspect ratio above which a box holds text that runs upward and is turned."""

COLUMN_GAP = 0.9
"""The gap between columns as a share of the line's height. Neighbors in a word reach 0.84 from step to step. The
recognizer often puts no space between the columns of a table.
"""
WIDE_COLUMN_GAP = 1.8
"""The gap beside a Chinese or Japanese character, whose punctuation is as wide as a character and mostly white."""

BLANK = 0
"""The class that separates equal characters in connectionist temporal classification."""

Floats = npt.NDArray[np.float32]

_NORMALIZED = (np.arange(256, dtype=np.float32) / np.float32(255) - np.float32(0.5)) / np.float32(0.5)


@dataclass(frozen=True, slots=True)
class RecognizedText:
    text: str
    confidence: float
    leanings: tuple[float, ...] = ()
    """The probability of each known script, or nothing with a recognizer of other characters."""
    words: tuple[tuple[float, float], ...] = ()
    """The start and end of each word, as shares of the length of the line."""


def cut_line(image: Pixels, box: Floats) -> Pixels:
    """Return the inside of the box, straightened."""
    top, right, bottom, left = (float(np.linalg.norm(box[a] - box[b])) for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)))
    width, height = int(max(top, bottom)), int(max(left, right))
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    line = cv2.warpPerspective(
        image,
        cv2.getPerspectiveTransform(box, target),
        (width, height),
        borderMode=cv2.BORDER_REPLICATE,
        flags=cv2.INTER_CUBIC,
    )
    return np.asarray(np.rot90(line) if height / width >= UPRIGHT_ASPECT else line)


@dataclass(frozen=True, slots=True)
class ScaledLine:
    """A line at the height that the recognizer takes."""

    pixels: Pixels
    squeeze: float
    """The width of its letters as a share of their own width at this height."""

    @property
    def width(self) -> int:
        return int(self.pixels.shape[1])

    @property
    def length(self) -> float:
        """Return the width as a multiple of the height, as it was before it was squeezed."""
        return self.width / (LINE_HEIGHT * self.squeeze)

    @property
    def padded_width(self) -> int:
        """Return the width of the recognizer's input for this line."""
        return max(MIN_WIDTH, WIDTH_STEP * math.ceil(self.width / WIDTH_STEP))


def scaled_line(line: Pixels) -> ScaledLine:
    """Scale a line to the recognizer's height, and letters that are large enough to less than their width."""
    height, width = int(line.shape[0]), int(line.shape[1])
    squeeze = SQUEEZE if height >= MIN_SQUEEZED_HEIGHT else 1.0
    scaled = min(MAX_WIDTH, max(1, math.ceil(LINE_HEIGHT * squeeze * (width / height))))
    shrinks = scaled < width and height > LINE_HEIGHT
    how = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return ScaledLine(np.asarray(cv2.resize(line, (scaled, LINE_HEIGHT), interpolation=how)), squeeze)


def recognizer_input(lines: Sequence[ScaledLine], width: int) -> Floats:
    """Return lines x 3 x 48 x width from scaled lines. The rest of a narrower line is zero."""
    batch = np.zeros((len(lines), 3, LINE_HEIGHT, width), np.float32)
    for row, line in enumerate(lines):
        batch[row, :, :, : line.width] = _NORMALIZED[line.pixels].transpose(2, 0, 1)
    return batch


def own_steps(line: ScaledLine, width: int, steps: int) -> int:
    """Return how many of the steps over an input of this width are the line's own, and not padding."""
    return max(1, math.ceil(steps * line.width / width))


class CharacterSet:
    """The recognizer's classes as its file lists them, with the blank first and the space last."""

    def __init__(self, listed: str) -> None:
        self.all = ("", *listed.splitlines(), " ")

    def places(self, characters: Sequence[str]) -> list[int] | None:
        """Return the classes of these characters, or None if one is not listed."""
        listed = {character: place for place, character in enumerate(self.all)}
        found = [listed.get(character) for character in characters]
        return None if None in found else [place for place in found if place is not None]

    def decode(self, chances: Floats, width: int, lines: Sequence[ScaledLine]) -> list[RecognizedText]:
        """Return a text for each row of `lines x steps x classes`, read from an input of this width."""
        best = chances.argmax(axis=2)
        certainty = np.take_along_axis(chances, best[:, :, None], axis=2)[:, :, 0]
        if not np.isfinite(certainty).all():
            raise ModelFailed("model_output_not_finite", "text recognition answered with NaN or infinity")
        steps_per_pixel = best.shape[1] / width
        return [
            self._decode_line(steps, certain, line, steps_per_pixel)
            for steps, certain, line in zip(best, certainty, lines, strict=True)
        ]

    def _decode_line(
        self, best: npt.NDArray[Any], certainty: Floats, line: ScaledLine, steps_per_pixel: float
    ) -> RecognizedText:
        changes = best[1:] != best[:-1]
        begins = np.flatnonzero(np.concatenate([[True], changes]) & (best != BLANK))
        ends = np.flatnonzero(np.concatenate([changes, [True]]) & (best != BLANK))
        characters = [self.all[character] for character in best[begins]]
        gaps = (begins[1:] - ends[:-1]) / (LINE_HEIGHT * line.squeeze * steps_per_pixel)
        apart = column_starts(characters, gaps.tolist())
        text = with_columns_apart(characters, apart)
        confidence = float(certainty[begins].mean()) if text else 0.0
        words = tuple(_words(characters, apart, begins, ends, line.width * steps_per_pixel))
        return RecognizedText(text, round(confidence, 5), words=words)


def column_starts(characters: Sequence[str], gaps: Sequence[float]) -> list[bool]:
    """Return for each character whether it begins a column and has no space before it. A gap is between each two."""
    meet = (_columns_meet(last, each, gap) for last, each, gap in zip(characters, characters[1:], gaps, strict=False))
    return [False, *meet]


def with_columns_apart(characters: Sequence[str], starts: Sequence[bool]) -> str:
    """Join the characters, with the missing spaces between columns."""
    return "".join(f" {each}" if start else each for each, start in zip(characters, starts, strict=False))


def _words(
    characters: Sequence[str], apart: Sequence[bool], begins: npt.NDArray[Any], ends: npt.NDArray[Any], steps: float
) -> Iterator[tuple[float, float]]:
    """Yield where each word lies as shares of the line, from the steps at which its characters are recognized.

    A character is recognized near its middle.
    """
    half = float(begins[-1] - begins[0]) / (2 * (len(begins) - 1)) if len(begins) > 1 else steps / 2
    start = end = None
    for character, begins_column, first, last in zip(characters, apart, begins.tolist(), ends.tolist(), strict=False):
        if start is not None and end is not None and (begins_column or character.isspace()):
            yield start, end
            start = None
        if not character.isspace():
            start = max(0.0, round((first + 0.5 - half) / steps, 4)) if start is None else start
            end = min(1.0, round((last + 0.5 + half) / steps, 4))
    if start is not None and end is not None:
        yield start, end


def _columns_meet(last: str, character: str, gap: float) -> bool:
    if gap <= COLUMN_GAP or last.isspace() or character.isspace():
        return False
    return gap > WIDE_COLUMN_GAP or not (_is_wide(last) or _is_wide(character))


def _is_wide(character: str) -> bool:
    return any(east_asian_width(part) in "WF" for part in character)
