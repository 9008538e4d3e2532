"""Finds square tick boxes on a part of a picture, and whether they are ticked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from inference.layout.boxes import Box
from inference.marks.picture_box import LARGEST, LEAST_SIDE, MAX_CANDIDATES, SMALLEST, Mask, PictureBox, quantile

Place = tuple[int, int, int, int]
"""Left, top, width and height."""
Shape = tuple[int, Place, int]
"""The number of an outline, its place, and the number of the outline around it, or -1."""
Candidate = tuple[int, Place]
"""The number of the outer outline, and the part of the picture where a box may be."""
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

ASPECT = 1.2
DARKER = 10
"""The difference of ink from the paper around it, of 255."""
OVERHANG = 1.35
"""The size of a box with its tick, as a multiple of that of the box, at most."""
MAX_JOINED = 3
"""The length of two boxes that a tick joins, as a multiple of their width, at most."""
STUCK = 1.15
"""The length, as a multiple of the width, from which on something at an end may belong to a box beside it."""
LETTER = 1.1
"""The width of letters, at most, as a multiple of the height of a line. Those stuck together are not taken apart."""
FRAME = 0.3
"""The white around the inside of a box that its frame is looked for in, as a share of the side."""
BAND = 0.36
"""The part of the height and width in which the frame is looked for, from each side. A tick may reach beyond it."""
PAPER = 0.85
"""The quantile of the gray levels that is paper."""
LEAST_CONTRAST = 25
"""The difference from the paper, of 255, that is full ink at least."""
THICK = 0.12
"""The thickness of a side, as a share of the box."""
CORNER = 0.03
"""The share of a side at each end that does not count. Corners are worn, and the edges of large boxes are blurred."""
LEAST_DARKNESS = 0.3
EVEN = 0.72
"""The darkness of the lightest part of a line, as a share of its usual darkness."""
INK = 0.45
"""The darkness from which on a dot is ink."""
TICKED = 0.07
"""The share of the inside that is ink from which on a box is ticked."""
FULL = 0.9
"""The share of all of it from which on it is a filled square, as in front of list items."""
INSET = 0.22
MAX_PIXELS = 30_000_000
"""The most pixels that are looked at, where they lie in several possible boxes as often. Pages of boxes have fewer."""
BEYOND = 2
"""The pixels outside a frame that its blurred edge may take."""
BESIDE = 0.16
"""The width of the band around a box that is empty, as a share of its side. A long tick may cross it."""
BESIDE_INK = 0.3
"""The darkness of ink in that band."""
MAX_BESIDE = 0.3
"""The share of the band at one side that may be ink. Letters of the same word fill more."""
MAX_CROSSED = 1
"""The number of sides at which the band may have more ink."""
CLEAR, STRAIGHT = 0.15, 0.85
"""The share of ink in a row of paper, at most, and in the side of the next box, at least. Boxes may stand close."""
MAX_GOING_ON = 2
"""The ends of sides that may go on beyond a corner, as a long tick makes it look. Both sides of a cell do."""


def find_squares(gray: Mask, darkness: Mask, height: float) -> Iterator[PictureBox]:
    """Yield boxes by a softened picture, by how much darker it is than around, and by the height of the text."""
    ink = np.asarray(cv2.threshold(darkness, DARKER - 1, 1, cv2.THRESH_BINARY)[1], np.uint8)
    least, most = max(LEAST_SIDE, SMALLEST * height), LARGEST * height
    length = max(6, int(0.7 * least))
    level = cv2.morphologyEx(cv2.dilate(ink, _ones(3, 1)), cv2.MORPH_OPEN, _ones(1, length))
    upright = cv2.morphologyEx(cv2.dilate(ink, _ones(1, 3)), cv2.MORPH_OPEN, _ones(length, 1))
    outlines, levels = cv2.findContours(cv2.bitwise_or(level, upright), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    if not outlines:
        return
    shapes = [
        (number, _place(outline), parent)
        for number, (outline, parent) in enumerate(zip(outlines, levels[0, :, 3].tolist(), strict=True))
    ]
    pixels_left = MAX_PIXELS
    found: dict[int, list[Box]] = {}
    for number, place in [*_inside(shapes, least, most), *_whole(shapes, least, height)]:
        pixels_left -= place[2] * place[3]
        if pixels_left < 0:
            return
        near = found.setdefault(number, [])
        square = _square_at(gray, place, least, most)
        if square is not None and not any(box.holds(square.box) for box in near):
            near.append(square.box)
            yield square


def _place(outline: cv2.typing.MatLike) -> Place:
    left, top, width, height = cv2.boundingRect(outline)
    return left, top, width, height


def _ones(rows: int, columns: int) -> Mask:
    return np.ones((rows, columns), np.uint8)


def _inside(shapes: Sequence[Shape], least: float, most: float) -> list[Candidate]:
    """Return the insides of boxes, each with its frame. Ticks that are long may join the frames of several boxes."""
    found = []
    for _, (left, top, width, height), parent in shapes:
        side = min(width, height)
        if parent < 0 or side < 0.5 * least or max(width, height) > min(most, ASPECT * side):
            continue
        frame = max(4, round(FRAME * side))
        found.append((parent, (left - frame, top - frame, width + 2 * frame, height + 2 * frame)))
    return found[:MAX_CANDIDATES]


def _whole(shapes: Sequence[Shape], least: float, text_height: float) -> list[Candidate]:
    """Return boxes with what sticks out of them. Of a box with a broken frame, or a long stroke in it, this is all."""
    longest = OVERHANG * LARGEST * text_height
    found = []
    for number, (left, top, width, height), parent in shapes:
        side = min(width, height)
        if parent >= 0 or side < least or side > longest or max(width, height) > MAX_JOINED * side:
            continue
        if max(width, height) <= OVERHANG * ASPECT * side:
            found.append((number, (left, top, width, height)))
        if side >= LETTER * text_height and max(width, height) > STUCK * side:
            ends = (left, top), (left + width - side, top + height - side)
            found += [(number, (*end, side, side)) for end in ends]
    return found[:MAX_CANDIDATES]


def _square_at(gray: Mask, place: Place, least: float, most: float) -> PictureBox | None:
    """Return the box whose frame is within this part, or None if it is a letter or a drawing."""
    left, top = max(0, place[0]), max(0, place[1])
    margin = BEYOND + max(3, round(BESIDE * min(place[2:])))
    rows = slice(max(0, top - margin), place[1] + place[3] + margin)
    columns = slice(max(0, left - margin), place[0] + place[2] + margin)
    darkness = _darkness(gray[top : place[1] + place[3], left : place[0] + place[2]], gray[rows, columns])
    down, across = top - rows.start, left - columns.start
    within = darkness[down : place[1] + place[3] - rows.start, across : place[0] + place[2] - columns.start]
    frame = _frame(within).moved(across, down)
    if frame.side < least or frame.longer > min(most, ASPECT * frame.side):
        return None
    if not all(map(_is_even, _lines(darkness, frame))) or not _is_apart(darkness, frame):
        return None
    ink = darkness[frame.top : frame.bottom + 1, frame.left : frame.right + 1] >= INK
    inset = max(2, round(INSET * frame.side))
    inner = ink[inset:-inset, inset:-inset]
    at = frame.moved(columns.start, rows.start)
    box = Box(float(at.left), float(at.top), float(at.right + 1), float(at.bottom + 1))
    return PictureBox(box, bool(inner.size and inner.mean() >= TICKED), is_full=bool(ink.mean() >= FULL))


def _darkness(part: Mask, around: Mask) -> Floats:
    """Return the darkness of a part and what is around it, from 0 for paper to 1 for the ink of the part."""
    paper = quantile(around, PAPER)
    contrast = max(float(LEAST_CONTRAST), paper - quantile(part, 0.1))
    return np.asarray(np.clip((paper - around) / contrast, 0.0, 1.0), np.float64)


@dataclass(frozen=True, slots=True)
class _Frame:
    """The outermost rows and columns of a frame."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def side(self) -> int:
        return min(self.bottom - self.top, self.right - self.left) + 1

    @property
    def longer(self) -> int:
        return max(self.bottom - self.top, self.right - self.left) + 1

    def moved(self, across: int, down: int) -> "_Frame":
        return _Frame(self.top + down, self.bottom + down, self.left + across, self.right + across)


def _frame(darkness: Floats) -> _Frame:
    rows, columns = darkness.mean(axis=1), darkness.mean(axis=0)
    deep, wide = max(2, round(BAND * len(rows))), max(2, round(BAND * len(columns)))
    return _Frame(
        _outer(rows[:deep]),
        len(rows) - 1 - _outer(rows[: -deep - 1 : -1]),
        _outer(columns[:wide]),
        len(columns) - 1 - _outer(columns[: -wide - 1 : -1]),
    )


def _outer(band: Floats) -> int:
    """Return the outermost line of a band. What is inside a box may be darker than a thin frame."""
    return int((band >= 0.55 * band.max()).argmax())


def _lines(darkness: Floats, frame: _Frame) -> Iterator[Floats]:
    """Yield the darkness along each side without its ends. Print is never quite level, so the darkest row counts."""
    rows = darkness[frame.top : frame.bottom + 1, frame.left : frame.right + 1]
    for side in (rows, rows[::-1], rows.T, rows.T[::-1]):
        near = side[: max(2, round(THICK * len(side)))].max(axis=0)
        end = int(CORNER * len(near))
        yield np.asarray(np.convolve(near[end : len(near) - end], np.ones(3) / 3, "valid"), np.float64)


def _is_even(line: Floats) -> bool:
    """Return whether a line has ink from end to end. At letters, it is light at the corners."""
    usual = quantile(line, 0.5)
    return usual >= LEAST_DARKNESS and float(line.min()) >= EVEN * usual


def _is_apart(darkness: Floats, frame: _Frame) -> bool:
    """Return whether there is paper around a frame, whose sides end at its corners. Those of cells go on."""
    band = BEYOND + max(3, round(BESIDE * frame.side))
    thick = max(2, round(THICK * frame.side))
    ink = darkness >= BESIDE_INK
    crossed = going_on = 0
    for turned, top, left, right in (
        (ink, frame.top, frame.left, frame.right),
        (ink[::-1], len(ink) - 1 - frame.bottom, frame.left, frame.right),
        (ink.T, frame.left, frame.top, frame.bottom),
        (ink.T[::-1], ink.shape[1] - 1 - frame.right, frame.top, frame.bottom),
    ):
        beside = turned[max(0, top - band) : max(0, top - BEYOND)]
        if not len(beside):
            continue
        crossed += _is_crossed(beside[:, left : right + 1])
        ends = beside[:, max(0, left - 1) : left + thick], beside[:, right + 1 - thick : right + 2]
        reached = sum(bool(end.any(axis=1).all()) for end in ends)
        going_on += len(ends) * MAX_GOING_ON if reached == len(ends) else reached
    return crossed <= MAX_CROSSED and going_on <= MAX_GOING_ON


def _is_crossed(beside: Flags) -> bool:
    """Return whether there is ink in the band beside a frame, other than the frame of the next box."""
    rows = beside.mean(axis=1)
    is_next_box = bool(rows.min() <= CLEAR and rows.max() >= STRAIGHT)
    return not is_next_box and float(beside.any(axis=0).mean()) > MAX_BESIDE
