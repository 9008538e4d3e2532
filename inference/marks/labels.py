"""Finds the text that says what a tick box is for: the words right of it, or left of it where all stand so."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from inference.core.contracts import TextLine
from inference.layout.boxes import Box

MAX_GAP = 2.5
"""The white between a box and its label, at most, in sides of the box or heights of the text: the larger ones."""
WORD_GAP = 1.8
"""The white within a label, at most, in heights of the text. Labels of other boxes stand farther off."""
SIGNS = "".join(
    (
        "\u2610\u2611\u2612\u25a0\u25a1\u25a2\u25fb\u2b1c\u274f\u2750\u2751\u2752\u2705\u274e",
        "\u2713\u2714\u2717\u2718\u2715\u2716\u00d7\u25cb\u25cf\u25ef\u25c9\u29bf\U0001f5f9\U0001f5f7\U0001f5f5",
        "\u53e3\u56d7\u533a\u56de\u65e5\u7530\uf0a8\uf06f\uf071\uf072\uf0fe\uf0fd\uf0fc\uf0fb",
        "[](){}|_<>",
    )
)
"""Characters that a box is read as. They begin no label."""
MAX_CHARS = 300
BAND, MAX_BANDS, MAX_ROWS = 32.0, 20, 100
"""The height of a band of the page in pixels, the most of them that a row of text crosses, and the most rows of one."""


@dataclass(frozen=True, slots=True)
class PlacedWord:
    text: str
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Row:
    """A line of text on the page, with its words from left to right."""

    box: Box
    words: tuple[PlacedWord, ...]


def row_of(line: TextLine, box: Box) -> Row:
    """Return the words of a line within its box. Where they are is known, or follows from their characters."""
    texts = line.text.split()
    if line.words and len(line.words) == len(texts):
        spans: Iterable[tuple[float, float]] = line.words
    else:
        spans = _spans(line.text, texts)
    words = (
        PlacedWord(text, box.left + start * box.width, box.left + end * box.width)
        for text, (start, end) in zip(texts, spans, strict=True)
    )
    return Row(box, tuple(words))


def _spans(text: str, words: Sequence[str]) -> Iterator[tuple[float, float]]:
    at = 0
    for word in words:
        at = text.index(word, at)
        yield at / len(text), (at + len(word)) / len(text)
        at += len(word)


def labels_of(boxes: Sequence[Box], rows: Sequence[Row]) -> list[str]:
    """Return the label of each box, empty where no text stands beside it."""
    bands = _bands(rows)
    words = [_words_beside(box, bands.get(int(box.middle // BAND), ())) for box in boxes]
    sides = [_sides_of(box, found, boxes) for box, found in zip(boxes, words, strict=True)]
    nearer_left = sum(left.gap < right.gap for left, right in sides)
    prefers_left = nearer_left > len(boxes) / 2
    return [(left.text or right.text) if prefers_left else (right.text or left.text) for left, right in sides]


@dataclass(frozen=True, slots=True)
class _Side:
    text: str
    gap: float


_NOTHING = _Side("", float("inf"))


def _bands(rows: Iterable[Row]) -> dict[int, list[Row]]:
    """Return the rows by the bands of the page that they cross, so that each box looks at few of them."""
    bands: dict[int, list[Row]] = {}
    for row in rows:
        for band in range(int(row.box.top // BAND), int(row.box.bottom // BAND) + 1)[:MAX_BANDS]:
            crossing = bands.setdefault(band, [])
            if len(crossing) < MAX_ROWS:
                crossing.append(row)
    return bands


def _words_beside(box: Box, rows: Sequence[Row]) -> list[PlacedWord]:
    """Return the words on the row of a box from left to right."""
    found = [row for row in rows if row.box.top <= box.middle <= row.box.bottom and row.box.height <= 4 * box.height]
    return sorted((word for row in found for word in row.words), key=lambda word: word.left)


def _sides_of(box: Box, words: Sequence[PlacedWord], boxes: Sequence[Box]) -> tuple[_Side, _Side]:
    side = box.right - box.left
    left_end, right_end = float("-inf"), float("inf")
    for other in boxes:
        if other is not box and other.top < box.bottom and box.top < other.bottom:
            if other.right <= box.left + 1:
                left_end = max(left_end, other.right)
            elif other.left >= box.right - 1:
                right_end = min(right_end, other.left)
    after = [word for word in words if _middle(word) > box.right - 0.1 * side and word.left < right_end]
    before = [word for word in words if _middle(word) < box.left + 0.1 * side and word.right > left_end]
    right = _run(((word.text, word.left, word.right) for word in after), box.right, side)
    left = _run(((word.text, -word.right, -word.left) for word in reversed(before)), -box.left, side)
    return _Side(_cleaned(reversed(left[0])), left[1]), _Side(_cleaned(right[0]), right[1])


def _middle(word: PlacedWord) -> float:
    return (word.left + word.right) / 2


def _run(words: Iterable[tuple[str, float, float]], start: float, side: float) -> tuple[list[str], float]:
    """Return words until the first wide white, and the white before the first of them."""
    found: list[str] = []
    gap, at = float("inf"), start
    for text, begin, end in words:
        if not found and not text.strip(SIGNS):
            continue
        white = begin - at
        if white > (WORD_GAP if found else MAX_GAP) * side:
            break
        if not found:
            gap = max(0.0, white)
        found.append(text)
        at = max(at, end)
    return found, gap


def _cleaned(words: Iterable[str]) -> str:
    text = " ".join(words).strip().strip(SIGNS).strip()[:MAX_CHARS]
    return text if any(char.isalnum() for char in text) else ""
