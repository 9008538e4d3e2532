"""Blocks: rows of pieces that may be a table, between the lines of running text of a page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from inference.layout.boxes import Box
from inference.tables.pieces import Piece, piece_of, pieces_of
from inference.tables.values import is_value
from inference.tables.words import Word, rows_of

PROSE_WORDS, PROSE_CHARACTERS = 5, 38
"""The words and characters of a line of running text, at least."""
LINE_WORDS, LINE_SPACE = 7, 1.2
"""The words of a line of running text whose spaces are wide, at least, and the width of these, at most."""
TAIL_WORDS, TAIL_PITCH = 3, 1.7
"""The words of the last line of a paragraph, at least, and its distance from the line above, at most."""
WIDE_WHITE = 2.2
"""The distance between two rows of a block, at most, as a multiple of the usual one."""
MIN_REACH = 2.5
"""The distance at which a row always belongs to the block above, as a multiple of a line's height."""
MAX_OPEN = 64
"""The blocks that a row may go on with, at most. It bounds the time that strange pages take."""


@dataclass(slots=True)
class Block:
    rows: list[list[Piece]]
    left: float
    right: float
    pitches: list[float] = field(default_factory=list)

    @property
    def middle(self) -> float:
        return _middle(self.rows[-1])

    def reach(self, height: float) -> float:
        """Return how far below its last row another may go on with it."""
        usual = median(self.pitches[-9:]) if self.pitches else 0.0
        return max(WIDE_WHITE * usual, MIN_REACH * height)

    def shared(self, box: Box) -> float:
        return min(self.right, box.right) - max(self.left, box.left)

    def add(self, row: list[Piece], box: Box) -> None:
        self.pitches.append(_middle(row) - self.middle)
        self.rows.append(row)
        self.left, self.right = min(self.left, box.left), max(self.right, box.right)


def blocks_of(words: Sequence[Word], height: float) -> Iterator[Block]:
    """Yield the blocks of a page. Lines of running text end those above them."""
    open_blocks: list[Block] = []
    prose: Box | None = None
    for row, near in _rows(words, height):
        for run in _runs(row, near, height):
            box = Box.around(piece.box for piece in run)
            if (len(run) == 1 and is_prose(run[0], row, near, height)) or _goes_on(prose, run, height):
                prose = box
                ended = [block for block in open_blocks if block.shared(box) > 0]
                yield from ended
                open_blocks = [block for block in open_blocks if block.shared(box) <= 0]
                continue
            middle = _middle(run)
            ended = [block for block in open_blocks if middle - block.middle > block.reach(height)]
            yield from ended
            open_blocks = [block for block in open_blocks if middle - block.middle <= block.reach(height)]
            best = max(open_blocks, key=lambda block: block.shared(box), default=None)
            if best is not None and best.shared(box) > 0:
                best.add(run, box)
            elif len(open_blocks) < MAX_OPEN:
                open_blocks.append(Block([run], box.left, box.right))
    yield from open_blocks


def prose_boxes(words: Sequence[Word], height: float) -> list[Box]:
    """Return the boxes of the lines of running text."""
    return [piece.box for row, near in _rows(words, height) for piece in row if is_prose(piece, row, near, height)]


def _rows(words: Sequence[Word], height: float) -> Iterator[tuple[list[Piece], list[list[Piece]]]]:
    """Yield the printed rows, each with the two above and the two below it."""
    rows = [_whole_lines(pieces_of(row, height), height) for row in rows_of(words)]
    for number, row in enumerate(rows):
        yield row, rows[max(0, number - 2) : number] + rows[number + 1 : number + 3]


def _whole_lines(pieces: Sequence[Piece], height: float) -> list[Piece]:
    """Return the pieces of a row, those of a line of running text as one, however wide its spaces are."""
    whole: list[Piece] = []
    for piece in pieces:
        if whole and _is_one_line(whole[-1], piece, height):
            whole[-1] = piece_of([*whole[-1].words, *piece.words])
        else:
            whole.append(piece)
    return whole if all(len(piece.words) >= LINE_WORDS for piece in whole) else list(pieces)


def _goes_on(prose: Box | None, run: Sequence[Piece], height: float) -> bool:
    """Return whether pieces are the last line of a paragraph, right below another line of it."""
    words = [word for piece in run for word in piece.words]
    if prose is None or len({word.line for word in words}) > 1 or len(words) < TAIL_WORDS:
        return False
    gaps = (after.box.left - before.box.right for before, after in pairwise(run))
    if any(gap > LINE_SPACE * height for gap in gaps):
        return False
    box = run[0].box
    return abs(box.left - prose.left) <= height and 0 < box.middle - prose.middle <= TAIL_PITCH * height


def _is_one_line(before: Piece, piece: Piece, height: float) -> bool:
    near = piece.box.left - before.box.right <= LINE_SPACE * height
    return near and before.words[-1].line == piece.words[0].line


def is_prose(piece: Piece, row: Sequence[Piece], near: Sequence[Sequence[Piece]], height: float) -> bool:
    """Return whether a piece is a line of running text, not a long cell in a column of its own."""
    if len(piece.words) < PROSE_WORDS or len(piece.text) < PROSE_CHARACTERS:
        return False
    if any(other is not piece and is_value(other.text) for other in row):
        return False
    seconds = [other[1].box.left for other in near if len(other) > 1 and other[0].box.left <= piece.box.left + height]
    values = any(is_value(part.text) for other in near for part in other[1:])
    return not (values and seconds and piece.box.right < min(seconds))


def _runs(row: Sequence[Piece], near: Sequence[Sequence[Piece]], height: float) -> Iterator[list[Piece]]:
    """Yield the pieces of a row that stand beside each other without running text between them."""
    run: list[Piece] = []
    for piece in row:
        if is_prose(piece, row, near, height):
            if run:
                yield run
            yield [piece]
            run = []
        else:
            run.append(piece)
    if run:
        yield run


def _middle(row: Sequence[Piece]) -> float:
    return sum(piece.box.middle for piece in row) / len(row)
