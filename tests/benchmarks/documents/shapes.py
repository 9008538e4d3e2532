"""Draw what is no text: figures, charts, frames and tick boxes."""

import math
import random

from tests.benchmarks.documents.flow import Frame
from tests.benchmarks.documents.sheet import Color, Sheet

INKS: tuple[Color, ...] = ((40, 70, 120), (150, 60, 40), (60, 110, 60), (90, 90, 90))


def figure(sheet: Sheet, frame: Frame, chance: random.Random) -> None:
    """Draw a gray picture, bars, or a curve, to fill the frame."""
    chance.choice((photo, bars, curve))(sheet, frame, chance)


def photo(sheet: Sheet, frame: Frame, chance: random.Random) -> None:
    gray = chance.randint(120, 210)
    corners = (frame.left, frame.top, frame.right, frame.bottom)
    sheet.draw.rectangle(corners, fill=(gray, gray, gray), outline=(60, 60, 60))
    for _ in range(chance.randint(2, 5)):
        x, y = chance.uniform(0.2, 0.8) * frame.width, chance.uniform(0.2, 0.8) * frame.height
        size = chance.uniform(0.05, 0.18) * min(frame.width, frame.height)
        shade = chance.randint(70, 235)
        middle = frame.left + x, frame.top + y
        spot = (middle[0] - size, middle[1] - size, middle[0] + size, middle[1] + size)
        sheet.draw.ellipse(spot, fill=(shade, shade, shade))


def bars(sheet: Sheet, frame: Frame, chance: random.Random) -> None:
    count, ink = chance.randint(4, 9), chance.choice(INKS)
    _axes(sheet, frame)
    step = frame.width / count
    for number in range(count):
        high = chance.uniform(0.1, 0.92) * frame.height
        left = frame.left + number * step + step * 0.2
        sheet.draw.rectangle((left, frame.bottom - high, left + step * 0.6, frame.bottom), fill=ink)


def curve(sheet: Sheet, frame: Frame, chance: random.Random) -> None:
    _axes(sheet, frame)
    for ink in chance.sample(INKS, 2):
        waves, rise = chance.uniform(0.5, 2.5), chance.uniform(-0.3, 0.3)
        shares = [number / 40 for number in range(41)]
        points = [
            (
                frame.left + share * frame.width,
                frame.top + frame.height * (0.5 + rise * (share - 0.5) + 0.3 * math.sin(share * waves * 6)),
            )
            for share in shares
        ]
        sheet.draw.line(points, fill=ink, width=sheet.stroke(1.2))


def _axes(sheet: Sheet, frame: Frame) -> None:
    corner = (frame.left, frame.bottom)
    line = [(frame.left, frame.top), corner, (frame.right, frame.bottom)]
    sheet.draw.line(line, fill=(0, 0, 0), width=sheet.stroke(0.8))


def box(sheet: Sheet, left: float, top: float, right: float, bottom: float, *, fill: Color | None = None) -> None:
    """Draw a frame, with a fill if there is one; draw it before the text."""
    corners = (round(left), round(top), round(right), round(bottom))
    sheet.draw.rectangle(corners, fill=fill, outline=(70, 70, 70), width=sheet.stroke(0.7))


def tick_box(sheet: Sheet, left: float, top: float, size: float, ticked: bool) -> None:
    box(sheet, left, top, left + size, top + size)
    if ticked:
        inset, stroke = size * 0.15, sheet.stroke(1)
        ends = (left + inset, top + inset, left + size - inset, top + size - inset)
        sheet.draw.line(ends, fill=(0, 0, 60), width=stroke)
        sheet.draw.line((ends[0], ends[3], ends[2], ends[1]), fill=(0, 0, 60), width=stroke)
