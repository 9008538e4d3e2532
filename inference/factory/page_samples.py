"""Samples by which the two networks of `read` become 8-bit: what each was given on pages, read as `read` does."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from inference.core.contracts import Pixels
from inference.factory.samples import Feeds
from inference.factory.sessions import open_here, opened
from inference.factory.transforms import StaticInt8, int8_support
from inference.runtime.coarse_look import coarse_scale, inked_part
from inference.runtime.text_detection import close_scale, detector_input, find_boxes, prepare_page
from inference.runtime.text_recognition import cut_line, recognizer_input, scaled_line

DETECTION, RECOGNITION = "detection", "recognition"
"""The roles of the two networks."""
INPUT = "x"
"""The name of the only input of both."""
LINES_OF_A_PAGE = 4


def int8_options() -> StaticInt8:
    """Return the options that docs/models-reports/ocr-int8.md admits, for both networks."""
    return StaticInt8(operators=("Conv", "MatMul"), reduce_range=int8_support().reduce_range)


def calibration_samples(pages: Iterable[Pixels], detector: Path) -> Mapping[str, list[Feeds]]:
    """Return the inputs of the detector and of the recognizer on these upright pages, by role."""
    found: dict[str, list[Feeds]] = {DETECTION: [], RECOGNITION: []}
    with opened(detector, open_here) as session:
        for number, page in enumerate(pages):
            given = _detector_input(page)
            found[DETECTION].append({INPUT: given})
            found[RECOGNITION] += [{INPUT: line} for line in _lines(page, session.run({INPUT: given})[0], number)]
    return found


def _detector_input(pixels: Pixels) -> np.ndarray[Any, np.dtype[np.float32]]:
    image = prepare_page(pixels).image
    part = inked_part(image).cut(image)
    coarse = coarse_scale(image)
    return detector_input(part, coarse if coarse < 1 else close_scale(image))


def _lines(pixels: Pixels, chances: Any, seed: int) -> Iterator[np.ndarray[Any, np.dtype[np.float32]]]:
    page = prepare_page(pixels)
    inked = inked_part(page.image)
    part = inked.cut(page.image)
    boxes = inked.on_image(find_boxes(chances[0, 0], width=part.shape[1], height=part.shape[0]))
    few = np.random.default_rng(seed).permutation(len(boxes))[:LINES_OF_A_PAGE]
    for box in boxes[few]:
        line = scaled_line(cut_line(page.image, box))
        yield recognizer_input([line], line.padded_width)
