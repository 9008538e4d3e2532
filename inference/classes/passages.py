"""The passages of a page in which phrases are sought, each in the spelling of `canonical`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

from inference.classes.canonical import canonical, confused, mended, plain, squeezed
from inference.classes.phrases.evidence import GRAM, Evidence

MAX_TITLE_WORDS, MAX_HEADING_WORDS, MAX_LABEL_WORDS = 8, 5, 6
MIN_TOP_LINES, TOP_SHARE = 10, 0.3
"""The lines near the top, among which titles are."""
START = 40
"""The letters of the start of a line."""
USUAL_WORDS = 150
"""The words of a text up to which its phrases count fully. In a longer text, some phrases are there by chance."""
_NUMBERING = re.compile(r"(?:\d{1,2} )+")
_HINTS = (":", "__", "...", "[", "   ")
_LEADERS = re.compile(r"_{2,}|\.{3,}|…|[:☐☑☒□■▢○◯]|\[\s?[xX]?\s?\]|\s{3,}|\t")


@dataclass(frozen=True, slots=True)
class Passages:
    """Each passage is words between single spaces, with a space and a line break before each line."""

    text: str
    title: str
    heading: str
    start: str
    label: str
    squeezed: str
    """The text without spaces."""
    dilution: float
    """Return the number of phrases that count as one, by the length of the text."""
    words: frozenset[str]
    """The words that occur anywhere."""
    grams: frozenset[str]
    """The sequences of `GRAM` letters that occur in the text without spaces."""


def passages_of(lines: Sequence[str]) -> Passages:
    whole = canonical(mended("\n".join(lines)))
    text = f" {whole} ".replace("\n", " ")
    spelled = _spelled(lines)
    counted = [(words, words.count(" ") + 1) for words in spelled if words]
    top = counted[: max(MIN_TOP_LINES, round(TOP_SHARE * len(counted)))]
    labels = [words for words, count in counted if count <= MAX_LABEL_WORDS] + _labels(lines)
    bare = squeezed(text)
    return Passages(
        text=text,
        title=_joined(words for words, count in top if count <= MAX_TITLE_WORDS),
        heading=_joined(words for words, count in counted if count <= MAX_HEADING_WORDS),
        start=_joined(words[:START] for words, _ in counted),
        label=_joined(labels),
        squeezed=bare,
        dilution=max(1.0, sqrt(text.count(" ") / USUAL_WORDS)),
        words=frozenset(text.split()).union(" ".join(spelled).split()),
        grams=frozenset(bare[at : at + GRAM] for at in range(len(bare) - GRAM + 1)),
    )


def strength(evidence: Evidence, passages: Passages) -> float:
    """Return how strong the evidence on a page is, from 0 to 1, by the number of phrases that are there."""
    passage: str = getattr(passages, evidence.place)
    words, grams, bare = passages.words, passages.grams, passages.squeezed
    found = sum((not word or word in words) and phrase in passage for phrase, word in evidence.spaced)
    found += sum(gram in grams and phrase in bare for phrase, gram in evidence.joined)
    dilution = passages.dilution if evidence.place == "text" else 1.0
    return float(1 - 0.5 ** (found / evidence.scale / dilution))


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"\n {line} " for line in lines)


def _spelled(lines: Sequence[str]) -> list[str]:
    """Return the lines without the numbers before them."""
    bare = [line[match.end() :] if (match := _NUMBERING.match(line)) else line for line in _split(lines)]
    return confused("\n".join(bare)).split("\n") if bare else []


def _split(lines: Sequence[str]) -> list[str]:
    return plain("\n".join(line.replace("\n", " ") for line in lines)).split("\n") if lines else []


def _labels(lines: Sequence[str]) -> list[str]:
    """Return the pieces of lines that may be labels: before colons, dots, boxes and lines to write on."""
    hinted = [line for line in lines if not line.isascii() or any(hint in line for hint in _HINTS)]
    split = [_LEADERS.split(line) for line in hinted]
    pieces = _spelled([piece for pieces in split if len(pieces) > 1 for piece in pieces])
    return [piece for piece in pieces if piece and piece.count(" ") < MAX_LABEL_WORDS]
