"""Draw words on a sheet of paper and remember where each one is."""

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw

from tests.benchmarks.documents.fonts import Font
from tests.benchmarks.documents.truth import GeneratedPage, Quad, TruthBlock, TruthLine, Word, around, upright

Color = tuple[int, int, int]
BLACK: Color = (0, 0, 0)
TOP, BODY, NOTES, FOOT = range(4)
"""The parts of a page in the order in which they are read."""
HYPHEN = "-"


@dataclass
class Line:
    """Holds a printed line; a `broken` one ends in the middle of a word."""

    words: list[tuple[str, Quad]]
    broken: bool = False
    ends_row: bool = False


@dataclass
class Block:
    type: str
    level: int | None = None
    part: int = BODY
    continues: bool = False
    between: str = " "
    """The text between two words: nothing in scripts without spaces."""
    lines: list[Line] = field(default_factory=list)

    def text(self) -> str:
        """Return the text with hyphens at line ends mended, and rows (of tables, addresses, verses) below each
        other."""
        text = ""
        for line in self.lines:
            printed = self.between.join(word for word, _ in line.words)
            text += printed.removesuffix(HYPHEN) if line.broken else printed + ("\n" if line.ends_row else self.between)
        return text.strip()


class Sheet:
    """Draws text and shapes at positions in pixels."""

    def __init__(self, width_pt: float, height_pt: float, dpi: float) -> None:
        self.dpi = dpi
        self.width, self.height = round(width_pt * dpi / 72), round(height_pt * dpi / 72)
        self.image = Image.new("RGB", (self.width, self.height), "white")
        self.draw = ImageDraw.Draw(self.image)
        self.blocks: list[Block] = []
        self.language = "en"

    def px(self, points: float) -> int:
        return round(points * self.dpi / 72)

    def stroke(self, points: float) -> int:
        return max(1, self.px(points))

    def block(self, block: Block) -> Block:
        self.blocks.append(block)
        return block

    def print_line(
        self,
        block: Block,
        words: list[str],
        font: Font,
        start: float,
        baseline: int,
        *,
        gap: float,
        ink: Color = BLACK,
        rtl: bool = False,
        note_font: Font | None = None,
        broken: bool = False,
    ) -> None:
        """Print words from a start, which is the right end for `rtl`; "word^1" has a raised note number."""
        printed: list[tuple[str, Quad]] = []
        for word in words:
            plain, _, note = word.partition("^") if note_font else (word, "", "")
            start -= advance(font, plain, rtl) if rtl else 0
            boxes = [self._print(plain, font, start, baseline, ink=ink, rtl=rtl)]
            start += 0 if rtl else advance(font, plain, rtl)
            if note and note_font:
                high = baseline - round(font.size * 0.36)
                boxes.append(self._print(note, note_font, start, high, ink=ink, rtl=False))
                start += advance(note_font, note, False)
            start += -gap if rtl else gap
            printed.append((plain + note, around(boxes)))
        if printed:
            block.lines.append(Line(printed, broken))

    def _print(self, text: str, font: Font, left: float, baseline: int, *, ink: Color, rtl: bool) -> Quad:
        stamp = stamped(font, text, rtl)
        x, y = round(left) + stamp.left, baseline + stamp.top
        self.image.paste(ink, (x, y), stamp.mask)
        return upright(x, y, x + stamp.mask.width, y + stamp.mask.height)

    def page(self, kind: str, layout: str) -> GeneratedPage:
        """Return the page as it is now, in reading order."""
        words: list[Word] = []
        lines: list[TruthLine] = []
        blocks: list[TruthBlock] = []
        drafts = [block for block in self.blocks if block.lines]
        for draft in sorted(drafts, key=lambda one: one.part):
            first = len(lines)
            for line in draft.lines:
                words += [Word(text, box, len(blocks), len(lines)) for text, box in line.words]
                text = draft.between.join(text for text, _ in line.words)
                lines.append(TruthLine(text, around([box for _, box in line.words]), len(blocks)))
            box = around([line.box for line in lines[first:]])
            numbers = tuple(range(first, len(lines)))
            blocks.append(TruthBlock(draft.type, box, draft.text(), numbers, draft.level, draft.continues))
        picture = np.array(self.image)
        return GeneratedPage(picture, words, blocks, lines, kind, self.language, layout, self.dpi)


@lru_cache(maxsize=50_000)
def advance(font: Font, text: str, rtl: bool = False) -> float:
    """Return how far a text moves on, in pixels."""
    return font.getlength(text, direction="rtl" if rtl else None)


@dataclass(frozen=True)
class Stamp:
    """Holds the ink of a text, and where it lies relative to the start of the baseline."""

    mask: Image.Image
    left: int
    top: int


@lru_cache(maxsize=20_000)
def stamped(font: Font, text: str, rtl: bool = False) -> Stamp:
    size = int(font.size)
    spot = (size, size * 2)
    wide = round(advance(font, text, rtl)) + size * 2
    mask = Image.new("L", (wide, size * 4))
    ImageDraw.Draw(mask).text(spot, text, fill=255, font=font, anchor="ls", direction="rtl" if rtl else None)
    box = mask.getbbox() or (*spot, spot[0] + 1, spot[1] + 1)
    return Stamp(mask.crop(box), box[0] - spot[0], box[1] - spot[1])
