"""The features of a page: what its class is decided by, and what tells where a document in a stack begins."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite, log
from statistics import median
from typing import Any
from zlib import crc32

from inference.class_sets.page_numbers import PageNumber, page_number_of
from inference.classes.canonical import confused, plain
from inference.classes.features import MAX_LINES, NAMES, printed_lines
from inference.classes.features import features_of as usual_features
from inference.core.contracts import TextLine

VERSION = 2
"""The version of the features and of what is stored of them: of examples and class sets."""
COLUMNS, ROWS = 3, 6
"""The fields of the page whose share of the lines is a feature of its looks."""
MAX_TABLES = 5
LOOKS = len(NAMES) + COLUMNS * ROWS + 3
MAX_WORD = 30
MAX_WORDS_OF_TITLE = 8
MIN_TOP_LINES, TOP_SHARE = 10, 0.3
LETTERHEAD_LINES = 5
LABEL_WEIGHT = 0.7
MAX_EMPHASIS = 3.0
"""The weight of the words in the largest letters."""
_NUMBER = re.compile(r"(?=[\w/-]*\d[\w/-]*\d[\w/-]*\d[\w/-]*\d)\w[\w/-]{3,30}")
_LABEL = re.compile(r"([^:\d]{3,40}):")
Weights = Mapping[int, float]
"""The weights of words by the checksums of their letters, so that no word can be read from a class set."""


@dataclass(frozen=True, slots=True)
class PageContent:
    """The words, titles and looks of a page, which its class is learned from and decided by."""

    words: Weights
    title_words: Weights
    """The words of headings, of short lines near the top and of labels, by how large they are printed."""
    looks: tuple[float, ...]
    """The phrases, shape and arrangement that the usual classes look at, and where the lines are."""

    @property
    def has_text(self) -> bool:
        return bool(self.words)


@dataclass(frozen=True, slots=True)
class PageFeatures(PageContent):
    """The content of a page with what separates the documents in a stack."""

    page_number: PageNumber | None
    top_words: frozenset[int]
    """The words of the first lines, such as a letterhead."""
    numbers: frozenset[int]
    """The numbers of four digits and more: customers, orders, invoices."""
    letter_height: float
    """The median height of the lines as a share of the page's height. It is 0 if it is not known."""
    proportion: float
    """The width of the page divided by its height. It is 0 if it is not known."""


def features_of(result: Mapping[str, Any]) -> PageFeatures:
    """Return the features of a page from its result, of which only the text must be there."""
    lines = [_line(line) for line in result.get("lines") or ()]
    blocks: Sequence[Mapping[str, Any]] = result.get("blocks") or ()
    width, height = _size(result.get("width")), _size(result.get("height"))
    text = str(result.get("text") or "")
    printed = printed_lines(text, lines)
    spelled = _spelled(printed)
    whole = [line.text for line in lines] or text.splitlines()
    return PageFeatures(
        words=_logarithmic(Counter(key for line in spelled for key in _keys(line))),
        title_words=_title_words(printed, spelled, lines, blocks),
        looks=_looks(text, blocks, lines, width, height, tables=len(result.get("tables") or ())),
        page_number=page_number_of(whole),
        top_words=frozenset(key for line in spelled[:LETTERHEAD_LINES] for key in _keys(line)),
        numbers=frozenset(crc32(found.encode()) for line in printed for found in _NUMBER.findall(line)),
        letter_height=round(median(_heights(lines) or [0.0]) / height, 5) if height else 0.0,
        proportion=round(width / height, 4) if width and height else 0.0,
    )


def _line(line: Mapping[str, Any]) -> TextLine:
    box = line.get("box")
    corners = tuple((float(x), float(y)) for x, y in box) if box else None
    return TextLine(str(line.get("text") or ""), corners if corners and len(corners) == 4 else None, None)


def _size(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and isfinite(value) and value > 0 else None


def _spelled(lines: Sequence[str]) -> list[str]:
    """Return the words of each line without numbers, and with letters alike that recognition confuses."""
    bare = plain("\n".join(line.replace("\n", " ") for line in lines)).split("\n")
    words = [" ".join(filter(_is_word, line.split())) for line in bare]
    return confused("\n".join(words)).split("\n")


def _is_word(text: str) -> bool:
    return 2 <= len(text) <= MAX_WORD and 3 * sum(map(str.isdigit, text)) <= len(text)


def _keys(line: str) -> Iterable[int]:
    """Yield the checksums of a line's words and of its pairs of words."""
    words = line.split()
    for word in words:
        yield crc32(word.encode())
    for one, two in pairwise(words):
        yield crc32(f"{one} {two}".encode())


def _logarithmic(counts: Mapping[int, int]) -> Weights:
    return {key: 1 + log(count) for key, count in counts.items()}


def _title_words(
    printed: Sequence[str], spelled: Sequence[str], lines: Sequence[TextLine], blocks: Sequence[Mapping[str, Any]]
) -> Weights:
    emphasis = _emphasis(lines)
    headings = _headings(blocks, lines)
    weights: dict[int, float] = {}
    near_top = max(MIN_TOP_LINES, round(TOP_SHARE * len(spelled)))
    for at, (line, words) in enumerate(zip(printed, spelled, strict=False)):
        if line in headings or (at < near_top and words.count(" ") < MAX_WORDS_OF_TITLE):
            counted, weight = words, emphasis.get(line, 1.0)
        elif label := _LABEL.match(line):
            counted, weight = _spelled([label[1]])[0], LABEL_WEIGHT
        else:
            continue
        for key in _keys(counted):
            weights[key] = max(weight, weights.get(key, 0.0))
    return weights


def _emphasis(lines: Sequence[TextLine]) -> Mapping[str, float]:
    """Return how much larger than the median each line is printed, squared and bounded."""
    usual = median(_heights(lines) or [0.0])
    if not usual:
        return {}
    return {
        line.text: min(MAX_EMPHASIS, max(1.0, ((line.box[3][1] - line.box[0][1]) / usual) ** 2))
        for line in lines[:MAX_LINES]
        if line.box
    }


def _headings(blocks: Sequence[Mapping[str, Any]], lines: Sequence[TextLine]) -> frozenset[str]:
    numbers = [
        number
        for block in blocks[:MAX_LINES]
        if block.get("type") == "heading"
        for number in list(block.get("lines") or ())[:3]
    ]
    return frozenset(lines[number].text for number in numbers if isinstance(number, int) and 0 <= number < len(lines))


def _heights(lines: Sequence[TextLine]) -> list[float]:
    return [line.box[3][1] - line.box[0][1] for line in lines[:MAX_LINES] if line.box]


def _looks(
    text: str,
    blocks: Sequence[Mapping[str, Any]],
    lines: Sequence[TextLine],
    width: float | None,
    height: float | None,
    *,
    tables: int,
) -> tuple[float, ...]:
    usual = usual_features(text, blocks, lines, width, height).values()
    proportion = width / height if width and height else 0.0
    large = max(_heights(lines) or [0.0]) / height if height else 0.0
    rest = (min(MAX_TABLES, tables) / MAX_TABLES, min(2.0, proportion), min(1.0, 10 * large))
    return tuple(round(float(number), 4) for number in (*usual, *_places(lines, width, height), *rest))


def _places(lines: Sequence[TextLine], width: float | None, height: float | None) -> list[float]:
    """Return the share of the lines in each field of the page."""
    places = [0.0] * (COLUMNS * ROWS)
    boxes = [line.box for line in lines[:MAX_LINES] if line.box]
    if width and height:
        for (left, top), _, (right, bottom), _ in boxes:
            column = int(COLUMNS * (left + right) / 2 / width)
            row = int(ROWS * (top + bottom) / 2 / height)
            places[min(COLUMNS - 1, max(0, column)) + COLUMNS * min(ROWS - 1, max(0, row))] += 1 / len(boxes)
    return places
