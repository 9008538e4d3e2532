"""Let text flow through frames: down a column, then on at the top of the next one."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.benchmarks.documents.breaking import Broken, break_lines
from tests.benchmarks.documents.fonts import Family, Font, face
from tests.benchmarks.documents.sheet import BLACK, BODY, Block, Color, Sheet, advance


@dataclass(frozen=True)
class Frame:
    """Names a rectangle that text may fill, in pixels."""

    left: int
    top: int
    width: int
    height: int

    @property
    def bottom(self) -> int:
        return self.top + self.height

    @property
    def right(self) -> int:
        return self.left + self.width


@dataclass(frozen=True)
class Look:
    """Says how text looks; sizes in points, indents in em."""

    family: Family
    size: float
    style: str = "regular"
    leading: float = 1.25
    align: str = "left"
    """One of left, right, center, justify."""
    hyphens: bool = False
    first_indent: float = 0
    indent: float = 0
    after: float = 0.5
    """The space below the block, in lines."""
    ink: Color = BLACK


@dataclass
class Flow:
    sheet: Sheet
    frames: list[Frame]
    part: int = BODY
    index: int = 0
    y: int = field(default=-1)
    notes: dict[int, list[str]] = field(default_factory=dict)
    """The numbers of footnotes to hang on words, by the frame at whose foot they stand."""

    def __post_init__(self) -> None:
        if self.y < 0 and self.frames:
            self.y = self.frames[0].top

    @property
    def full(self) -> bool:
        return self.index >= len(self.frames)

    @property
    def frame(self) -> Frame:
        return self.frames[min(self.index, len(self.frames) - 1)]

    @property
    def left_px(self) -> int:
        """Return the height that is left in the frame."""
        return 0 if self.full else self.frame.bottom - self.y

    def next_frame(self) -> None:
        self.index += 1
        if not self.full:
            self.y = self.frame.top

    def skip(self, points: float) -> None:
        self.y += self.sheet.px(points)

    def reserve(self, height_px: int) -> bool:
        """Go to the next frame if the height is not left in this one; return whether it is there now."""
        if self.left_px < height_px:
            self.next_frame()
        return self.left_px >= height_px

    def font(self, look: Look) -> Font:
        return face(look.family, look.style, max(5, self.sheet.px(look.size)))

    def pitch(self, look: Look) -> int:
        return round(self.sheet.px(look.size) * look.leading)

    def write(
        self, text: str, look: Look, kind: str = "paragraph", level: int | None = None, *, marker: str = ""
    ) -> None:
        """Print a block of text, in parts if the frame ends before it."""
        words = text.split()
        continues = False
        while words and not self.full:
            lines = self._lines(words, look, marker, continues)
            count = min(self.left_px // max(1, self.pitch(look)), len(lines))
            while 0 < count < len(lines) and lines[count - 1].broken:
                count -= 1
            if count < min(2, len(lines)):
                self.next_frame()
                continue
            self._noted(lines, count)
            block = self.sheet.block(Block(kind, level, self.part, continues))
            for number, line in enumerate(lines[:count]):
                last = number == len(lines) - 1
                self._print(block, line, look, first=number == 0 and not continues, last=last, marker=marker)
            words = words[words_in(lines[:count]) :]
            continues = True
        self.y += round(self.pitch(look) * look.after)

    def write_lines(self, lines: Sequence[str], look: Look, kind: str = "paragraph") -> None:
        """Print lines as one block, each by itself as far as it fits in the width, as in addresses and verses."""
        block = self.sheet.block(Block(kind, None, self.part))
        for line in lines:
            broken = self._lines(line.split(), look, "", continues=False)
            if self.left_px >= self.pitch(look) and broken:
                self._print(block, broken[0], look, first=True, last=True, marker="")
                block.lines[-1].ends_row = True
        self.y += round(self.pitch(look) * look.after)

    def _lines(self, words: list[str], look: Look, marker: str, continues: bool) -> list[Broken]:
        font = self.font(look)
        size = self.sheet.px(look.size)
        first = 0.0 if continues or marker else look.first_indent * size
        width = self.frame.width - look.indent * size
        return break_lines(words, font, width, advance(font, " "), hyphens=look.hyphens, indent=first)

    def _noted(self, lines: list[Broken], count: int) -> None:
        """Hang a footnote's number on the last word of a line in the middle."""
        waiting = self.notes.get(self.index)
        at = count // 2
        if waiting and count >= 3 and not lines[at].broken and len(lines[at].words[-1]) > 3:
            line = lines[at]
            lines[at] = Broken((*line.words[:-1], f"{line.words[-1]}^{waiting.pop(0)}"), line.length, False)

    def _print(self, block: Block, line: Broken, look: Look, *, first: bool, last: bool, marker: str) -> None:
        font = self.font(look)
        size = self.sheet.px(look.size)
        gap = advance(font, " ")
        indent = look.indent * size + (look.first_indent * size if first and not marker else 0)
        start, width = self.frame.left + indent, self.frame.width - indent
        spare = width - line.length - gap * (len(line.words) - 1)
        if look.align == "justify" and not last and len(line.words) > 1:
            gap += spare / (len(line.words) - 1)
        start += {"right": spare, "center": spare / 2}.get(look.align, 0)
        baseline = self.y + round(size * (look.leading + 0.6) / 2)
        small = face(look.family, look.style, max(5, round(size * 0.62)))
        words = list(line.words)
        if marker and first:
            at = start - max(advance(font, marker) + size * 0.35, size * 1.1)
            self.sheet.print_line(block, [marker], font, at, baseline, gap=gap, ink=look.ink)
        self.sheet.print_line(
            block, words, font, start, baseline, gap=gap, ink=look.ink, note_font=small, broken=line.broken
        )
        if marker and first:
            text = block.lines.pop()
            block.lines[-1].words += text.words
            block.lines[-1].broken = text.broken
        self.y += self.pitch(look)


def words_in(lines: list[Broken]) -> int:
    """Return how many words these lines hold; the two parts of a split word are one."""
    return sum(len(line.words) - line.broken for line in lines)
