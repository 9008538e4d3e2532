"""What a line of text says: lines cut out of the page, put into batches by width, and decoded."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from inference.contracts import Pixels

LINE_HEIGHT = 48
MIN_WIDTH = 320
BATCH_LINES = 6
UPRIGHT_ASPECT = 1.5
"""Taller boxes hold text that runs upwards and are turned."""

BLANK = 0
"""The class that separates equal characters in connectionist temporal classification."""

Floats = npt.NDArray[np.float32]

_NORMALIZED = (np.arange(256, dtype=np.float32) / np.float32(255) - np.float32(0.5)) / np.float32(0.5)


@dataclass(frozen=True, slots=True)
class LineBatch:
    lines: tuple[int, ...]
    width: int


@dataclass(frozen=True, slots=True)
class RecognisedText:
    text: str
    confidence: float


def cut_line(image: Pixels, box: Floats) -> Pixels:
    """The inside of the box, straightened."""
    top, right, bottom, left = (
        float(np.linalg.norm(box[a] - box[b])) for a, b in ((0, 1), (1, 2), (2, 3), (3, 0))
    )
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


def plan_batches(aspects: Sequence[float]) -> tuple[LineBatch, ...]:
    """Lines of like width together, so that little is spent on padding; each line once."""
    by_width = sorted(range(len(aspects)), key=lambda line: aspects[line])
    batches = (by_width[start : start + BATCH_LINES] for start in range(0, len(by_width), BATCH_LINES))
    return tuple(
        LineBatch(
            tuple(lines), int(LINE_HEIGHT * max(MIN_WIDTH / LINE_HEIGHT, *(aspects[line] for line in lines)))
        )
        for lines in batches
    )


def recogniser_input(lines: Sequence[Pixels], width: int) -> Floats:
    """Lines x 3 x 48 x width; what a narrower line leaves stays zero."""
    batch = np.zeros((len(lines), 3, LINE_HEIGHT, width), np.float32)
    for row, line in enumerate(lines):
        height, own_width = line.shape[:2]
        scaled_width = min(width, math.ceil(LINE_HEIGHT * (own_width / height)))
        scaled = np.asarray(cv2.resize(line, (scaled_width, LINE_HEIGHT)))
        batch[row, :, :, :scaled_width] = _NORMALIZED[scaled].transpose(2, 0, 1)
    return batch


class CharacterSet:
    """The recogniser's classes, as its file lists them: blank first and the space last."""

    def __init__(self, listed: str) -> None:
        self._characters = ["", *listed.splitlines(), " "]

    def decode(self, chances: Floats) -> list[RecognisedText]:
        """One text per row of `lines x steps x classes`."""
        best = chances.argmax(axis=2)
        certainty = np.take_along_axis(chances, best[:, :, None], axis=2)[:, :, 0]
        return [self._decode_line(*line) for line in zip(best, certainty, strict=True)]

    def _decode_line(self, best: npt.NDArray[Any], certainty: Floats) -> RecognisedText:
        begins = np.concatenate([[True], best[1:] != best[:-1]]) & (best != BLANK)
        text = "".join(self._characters[character] for character in best[begins])
        confidence = float(certainty[begins].mean()) if text else 0.0
        return RecognisedText(text, round(confidence, 5))
