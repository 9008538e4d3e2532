"""Draws PDF pages with tick boxes, codes, and what looks like them, from a seed, with their truth."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import zxingcpp
from fpdf import FPDF
from PIL import Image
from zxingcpp import BarcodeFormat

from tests.benchmarks.documents.wording.sentences import Wording

Sides = tuple[float, float, float, float]
"""Left, top, right and bottom in points from the top left of the page."""

WIDTH, HEIGHT, MARGIN = 595.0, 842.0, 56.0
FONTS = ("Helvetica", "Times", "Courier")


@dataclass(frozen=True)
class TrueMark:
    label: str
    checked: bool
    box: Sides


@dataclass(frozen=True)
class TrueCode:
    symbology: str
    text: str
    box: Sides


@dataclass
class TruePage:
    pdf: bytes = b""
    marks: list[TrueMark] = field(default_factory=list)
    codes: list[TrueCode] = field(default_factory=list)


class _Pen:
    def __init__(self, seed: int, kind: str) -> None:
        self.chance = random.Random(f"{kind} {seed}")
        self.words = Wording("en", self.chance, "form")
        self.pdf = FPDF(unit="pt", format=(WIDTH, HEIGHT))
        self.pdf.set_margin(0)
        self.pdf.set_auto_page_break(False)
        self.pdf.add_page()
        self.font = self.chance.choice(FONTS)
        self.size = self.chance.uniform(9, 12)
        self.y = MARGIN
        self.page = TruePage()

    def text(self, x: float, text: str, style: str = "", size: float = 0.0) -> float:
        """Print a text with its baseline at y, and return its width."""
        self.pdf.set_font(self.font, style, size or self.size)
        plain = text.encode("latin-1", "replace").decode("latin-1")
        self.pdf.text(x, self.y, plain)
        return float(self.pdf.get_string_width(plain))

    def paragraph(self, lines: int) -> None:
        for _ in range(lines):
            text = ""
            for sentence in self.words.some("sentence", 4):
                text = f"{text} {sentence}".strip()
            while self.pdf.get_string_width(text) > WIDTH - 2 * MARGIN and " " in text:
                text = text.rsplit(" ", 1)[0]
            self.text(MARGIN, text)
            self.y += 1.3 * self.size
        self.y += self.size

    def done(self) -> TruePage:
        self.page.pdf = bytes(self.pdf.output())
        return self.page


def tick_page(seed: int) -> TruePage:
    """Return a form with tick boxes of one look, in rows and in columns, among text."""
    pen = _Pen(seed, "ticks")
    chance = pen.chance
    pen.pdf.set_font(pen.font, "", pen.size)
    pen.text(MARGIN, pen.words.pick("title"), "B", 1.6 * pen.size)
    pen.y += 2.5 * pen.size
    look = _Look.by(chance, pen.size)
    while pen.y < HEIGHT - 180 and len(pen.page.marks) < 40:
        chance.choice((_column, _row, _row, _distraction))(pen, look)
    return pen.done()


@dataclass(frozen=True)
class _Look:
    side: float
    stroke: float
    is_round: bool
    mark: str
    is_left: bool
    """Whether labels stand left of the boxes."""

    @classmethod
    def by(cls, chance: random.Random, size: float) -> "_Look":
        is_round = chance.random() < 0.15
        mark = "dot" if is_round else chance.choice(("cross", "tick", "hand", "hand", "full", "letter"))
        side = chance.uniform(0.75, 1.25) * size
        return cls(side, chance.uniform(0.5, 1.4), is_round, mark, chance.random() < 0.2)


def _column(pen: _Pen, look: _Look) -> None:
    pen.text(MARGIN, pen.words.pick("label") + ":", "B")
    pen.y += 1.6 * pen.size
    for label in _labels(pen, pen.chance.randint(2, 5), 40):
        _option(pen, look, MARGIN + 10, label)
        pen.y += 1.7 * pen.size
    pen.y += pen.size


def _row(pen: _Pen, look: _Look) -> None:
    labels = _labels(pen, pen.chance.randint(2, 3), 20)
    x = MARGIN + pen.text(MARGIN, pen.words.pick("label")[:30] + ":") + 2.5 * pen.size
    for label in labels:
        pen.pdf.set_font(pen.font, "", pen.size)
        if x + pen.pdf.get_string_width(label) + 3 * look.side > WIDTH - MARGIN:
            break
        x = _option(pen, look, x, label) + 3.2 * pen.size
    pen.y += 2 * pen.size


def _labels(pen: _Pen, count: int, longest: int) -> list[str]:
    chance = pen.chance
    if chance.random() < 0.3:
        return ["Yes", "No", "Unknown"][:count]
    texts = [text for text in pen.words.some("label", 12) if len(text) <= longest] or ["Other"]
    return list(dict.fromkeys(texts))[:count]


def _option(pen: _Pen, look: _Look, x: float, label: str) -> float:
    """Draw a box with its label, and return where it ends."""
    gap = pen.chance.uniform(0.3, 0.6) * pen.size
    plain = label.encode("latin-1", "replace").decode("latin-1")
    left = x
    if look.is_left:
        left = x + pen.text(x, label) + gap
    middle = pen.y - 0.33 * pen.size
    box = left, middle - look.side / 2, left + look.side, middle + look.side / 2
    checked = pen.chance.random() < 0.4
    _draw_box(pen, look, box)
    if checked:
        _draw_mark(pen, look, box)
    pen.page.marks.append(TrueMark(plain, checked, box))
    if look.is_left:
        return box[2]
    return box[2] + gap + pen.text(box[2] + gap, label)


def _draw_box(pen: _Pen, look: _Look, box: Sides) -> None:
    pen.pdf.set_draw_color(0)
    pen.pdf.set_line_width(look.stroke)
    if look.is_round:
        pen.pdf.ellipse(box[0], box[1], look.side, look.side)
    else:
        pen.pdf.rect(box[0], box[1], look.side, look.side)


def _draw_mark(pen: _Pen, look: _Look, box: Sides) -> None:
    left, top, _, _ = box
    side, pdf, chance = look.side, pen.pdf, pen.chance

    def lines(*points: tuple[float, float], width: float) -> None:
        pdf.set_line_width(width)
        for (x0, y0), (x1, y1) in pairwise(points):
            pdf.line(left + x0 * side, top + y0 * side, left + x1 * side, top + y1 * side)

    match look.mark:
        case "cross":
            lines((0.15, 0.15), (0.85, 0.85), width=look.stroke)
            lines((0.85, 0.15), (0.15, 0.85), width=look.stroke)
        case "tick":
            lines((0.2, 0.5), (0.42, 0.78), (0.85, 0.18), width=1.3 * look.stroke)
        case "hand":
            pdf.set_draw_color(20, 30, 110)
            jitter = _jitter(chance)
            width = chance.uniform(0.7, 1.6)
            if chance.random() < 0.5:
                lines(jitter(0.0, 0.1), jitter(0.5, 0.5), jitter(1.05, 1.1), width=width)
                lines(jitter(1.1, -0.1), jitter(0.5, 0.55), jitter(0.0, 1.0), width=width)
            else:
                lines(jitter(0.1, 0.4), jitter(0.4, 0.85), jitter(1.3, -0.4), width=width)
        case "full":
            pdf.set_fill_color(0)
            pdf.rect(left + 0.22 * side, top + 0.22 * side, 0.56 * side, 0.56 * side, style="F")
        case "letter":
            pdf.set_font("Helvetica", "B", side)
            pdf.text(left + 0.17 * side, top + 0.85 * side, "X")
        case "dot":
            pdf.set_fill_color(0)
            pdf.ellipse(left + 0.25 * side, top + 0.25 * side, 0.5 * side, 0.5 * side, style="F")


def _jitter(chance: random.Random) -> Callable[[float, float], tuple[float, float]]:
    return lambda x, y: (x + chance.uniform(-0.1, 0.1), y + chance.uniform(-0.1, 0.1))


def _distraction(pen: _Pen, look: _Look) -> None:
    pen.chance.choice((_prose, _bullets, _table, _fields))(pen)


def _prose(pen: _Pen) -> None:
    pen.paragraph(pen.chance.randint(2, 4))


def _bullets(pen: _Pen) -> None:
    sign = pen.chance.choice(("square", "dot", "o", "D", "-", "O", "0"))
    for text in pen.words.some("label", 3):
        if sign == "square":
            pen.pdf.set_fill_color(0)
            pen.pdf.rect(MARGIN + 8, pen.y - 0.55 * pen.size, 0.45 * pen.size, 0.45 * pen.size, style="F")
        elif sign == "dot":
            pen.pdf.set_fill_color(0)
            pen.pdf.ellipse(MARGIN + 8, pen.y - 0.5 * pen.size, 0.4 * pen.size, 0.4 * pen.size, style="F")
        else:
            pen.text(MARGIN + 8, sign)
        pen.text(MARGIN + 8 + 1.5 * pen.size, text)
        pen.y += 1.4 * pen.size
    pen.y += pen.size


def _table(pen: _Pen) -> None:
    """Draw a grid of narrow cells, some as small as tick boxes, with letters and numbers in them."""
    side = pen.chance.uniform(1.3, 2.2) * pen.size
    pen.pdf.set_line_width(0.7)
    pen.pdf.set_draw_color(0)
    for _ in range(3):
        for column in range(pen.chance.choice((8, 12))):
            pen.pdf.rect(MARGIN + column * side, pen.y, side, side)
            if pen.chance.random() < 0.5:
                pen.y += 0.75 * side
                pen.text(MARGIN + (column + 0.25) * side, pen.chance.choice("0123XODBQ"))
                pen.y -= 0.75 * side
        pen.y += side
    pen.y += 2 * pen.size


def _fields(pen: _Pen) -> None:
    for label in pen.words.some("label", 2):
        width = pen.text(MARGIN, label)
        pen.pdf.set_line_width(0.7)
        pen.pdf.rect(MARGIN + width + 8, pen.y - pen.size, 160, 1.4 * pen.size)
        pen.y += 2 * pen.size


def plain_page(seed: int) -> TruePage:
    """Return a page without codes and tick boxes, but with all that may be taken for them."""
    pen = _Pen(seed, "plain")
    pen.text(MARGIN, pen.words.pick("title"), "B", 1.8 * pen.size)
    pen.y += 2.5 * pen.size
    while pen.y < HEIGHT - 240:
        pen.chance.choice((_prose, _bullets, _table, _fields, _photograph, _chart))(pen)
    return pen.done()


def _photograph(pen: _Pen) -> None:
    noise = np.random.default_rng(pen.chance.randrange(1 << 30))
    rough = noise.integers(0, 255, (12, 16, 3), dtype=np.uint8)
    image = Image.fromarray(rough).resize((480, 360), Image.Resampling.BICUBIC)
    grain = np.clip(np.asarray(image, np.int16) + noise.normal(0, 12, (360, 480, 1)), 0, 255).astype(np.uint8)
    pen.pdf.image(Image.fromarray(grain), MARGIN, pen.y, 200, 150)
    pen.y += 170


def _chart(pen: _Pen) -> None:
    """Draw bars like those of a chart, with a legend of colored squares."""
    pen.pdf.set_draw_color(0)
    for column in range(24):
        height = pen.chance.uniform(10, 80)
        pen.pdf.set_fill_color(*(pen.chance.randrange(200) for _ in range(3)))
        pen.pdf.rect(MARGIN + column * 9, pen.y + 80 - height, 6, height, style="F")
    pen.y += 100
    for label in pen.words.some("label", 2):
        pen.pdf.set_fill_color(*(pen.chance.randrange(200) for _ in range(3)))
        pen.pdf.rect(MARGIN, pen.y - 7, 8, 8, style="F")
        pen.text(MARGIN + 14, label)
        pen.y += 1.5 * pen.size
    pen.y += pen.size


SYMBOLOGIES: dict[str, tuple[BarcodeFormat, float]] = {
    "qr": (BarcodeFormat.QRCode, 1.2),
    "data_matrix": (BarcodeFormat.DataMatrix, 1.3),
    "aztec": (BarcodeFormat.Aztec, 1.3),
    "pdf417": (BarcodeFormat.PDF417, 1.0),
    "code128": (BarcodeFormat.Code128, 1.0),
    "code39": (BarcodeFormat.Code39, 1.0),
    "ean13": (BarcodeFormat.EAN13, 1.0),
    "itf": (BarcodeFormat.ITF, 1.0),
}
"""The formats with the width of their smallest element in points."""


def code_page(seed: int, *, drawn: bool = False) -> TruePage:
    """Return a page with one to four codes among text, as pictures, or `drawn` as filled rectangles."""
    pen = _Pen(seed, "codes")
    chance = pen.chance
    pen.text(MARGIN, pen.words.pick("title"), "B", 1.6 * pen.size)
    pen.y += 2.5 * pen.size
    names = list(SYMBOLOGIES)
    for number in range(chance.randint(1, 4)):
        pen.paragraph(2)
        name = names[(seed + number) % len(names)]
        _code(pen, name, drawn=drawn)
        if pen.y > HEIGHT - 260:
            break
    pen.paragraph(1)
    return pen.done()


def _content(name: str, chance: random.Random) -> str:
    digits = "".join(chance.choice("0123456789") for _ in range(12))
    match name:
        case "ean13":
            odd, even = sum(map(int, digits[::2])), sum(map(int, digits[1::2]))
            return digits + str(-(odd + 3 * even) % 10)
        case "itf":
            return digits
        case "code39":
            return f"REF-{digits[:6]}"
        case "code128":
            return f"Shipment {digits[:8]}"
    return chance.choice(
        (
            f"https://example.com/documents/{digits}?page={digits[:2]}",
            f"Grüße aus Köln, Nr. {digits}",
            f"BCD\n002\n1\nSCT\n\nExample Ltd\nDE{digits}\nEUR{digits[:3]}.00",
            digits * chance.randint(1, 4),
        )
    )


def _code(pen: _Pen, name: str, *, drawn: bool) -> None:
    chance = pen.chance
    barcode, module = SYMBOLOGIES[name]
    text = _content(name, chance)
    matrix = np.asarray(zxingcpp.create_barcode(text, barcode).to_image(scale=1))
    if matrix.ndim == 3:
        matrix = matrix[..., 0]
    turn = chance.choice((0, 0, 0, 1, 2, 3))
    matrix = np.rot90(matrix, turn)
    rows, columns = matrix.shape
    step = min(module * chance.uniform(0.9, 1.5), (WIDTH - 2 * MARGIN) / columns, 190 / rows)
    x = chance.uniform(MARGIN, max(MARGIN, WIDTH - MARGIN - columns * step))
    if drawn:
        _draw_modules(pen, matrix, x, step)
    else:
        image = Image.fromarray(matrix).resize((columns * 4, rows * 4), Image.Resampling.NEAREST)
        pen.pdf.image(image, x, pen.y, columns * step, rows * step)
    pen.page.codes.append(TrueCode(name, text, (x, pen.y, x + columns * step, pen.y + rows * step)))
    pen.y += rows * step + 2 * pen.size


def _draw_modules(pen: _Pen, matrix: np.ndarray, x: float, step: float) -> None:
    """Draw dark runs of each row, and rows that are alike as one."""
    pen.pdf.set_fill_color(0)
    row = 0
    while row < len(matrix):
        more = row + 1
        while more < len(matrix) and (matrix[more] == matrix[row]).all():
            more += 1
        dark = np.flatnonzero(np.diff(np.concatenate(([0], matrix[row] < 128, [0])).astype(int)))
        for start, end in zip(dark[::2], dark[1::2], strict=True):
            pen.pdf.rect(
                x + float(start) * step,
                pen.y + row * step,
                float(end - start) * step,
                math.fsum([(more - row) * step]),
                style="F",
            )
        row = more
