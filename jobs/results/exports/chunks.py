"""Cuts the text of a document into chunks for retrieval, along its blocks and headings. This module is pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from jobs.results.exports.page_blocks import TextBlock

MIN_WORDS = 200
"""The words of a chunk from which a heading begins the next one."""
MAX_WORDS = 400
"""The words that a chunk has at most, beside headings that it begins with."""
_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{1,2}"  # Chinese and Japanese, which have no spaces
    r"|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{1,6}"  # Thai, Lao, Burmese and Khmer
    r"|[^\s\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{1,40}"
)
_SENTENCE_END = re.compile(r"[.!?。！？…][\"')\]»”’]*$")  # signs of other scripts


@dataclass(frozen=True, slots=True)
class ChunkPage:
    """The page that a block is on, with the size of its picture in pixels."""

    number: int
    width: float | None = None
    height: float | None = None


@dataclass(frozen=True, slots=True)
class ChunkPart:
    """A block, or a piece of a long one."""

    page: ChunkPage
    block: TextBlock


@dataclass(frozen=True, slots=True)
class Chunk:
    parts: tuple[ChunkPart, ...]
    headings: tuple[str, ...]
    """The headings above the first block, from the highest down."""

    @property
    def words(self) -> int:
        return sum(word_count(part.block.text) for part in self.parts)

    @property
    def text(self) -> str:
        """Return the text. Blocks are separated by an empty line, items of a list by a line break."""
        text, before = "", ""
        for part in self.parts:
            between = "\n" if before == part.block.type == "list_item" else "\n\n"
            text, before = text + (between if text else "") + part.block.text, part.block.type
        return text


def word_count(text: str) -> int:
    """Return the number of words. In scripts without spaces, a few characters count as one."""
    return sum(1 for _ in _WORD.finditer(text))


def chunks_of(parts: Iterable[ChunkPart]) -> Iterator[Chunk]:
    """Yield the chunks. No more than one is held in memory."""
    gathered = _Gathered()
    for part in parts:
        for text in _pieces(part.block.text):
            piece = replace(part, block=replace(part.block, text=text))
            if gathered.is_full_before(piece):
                chunk, gathered = gathered.cut()
                yield chunk
            gathered.add(piece)
    if gathered.parts:
        yield gathered.chunk(len(gathered.parts))


@dataclass
class _Gathered:
    """The parts of the next chunk, and the headings that are above what follows."""

    above: list[TextBlock] = field(default_factory=list)
    headings: tuple[str, ...] = ()
    parts: list[ChunkPart] = field(default_factory=list)
    words: int = 0

    def is_full_before(self, part: ChunkPart) -> bool:
        if part.block.type == "heading" and self.words >= MIN_WORDS:
            return True
        return bool(self.parts) and self.words + word_count(part.block.text) > MAX_WORDS

    def add(self, part: ChunkPart) -> None:
        block = part.block
        if block.type == "heading":
            self.above = [each for each in self.above if each.level < block.level]
        if not self.parts:
            self.headings = tuple(each.text for each in self.above)
        if block.type == "heading":
            self.above.append(block)
        self.parts.append(part)
        self.words += word_count(block.text)

    def cut(self) -> tuple[Chunk, "_Gathered"]:
        """Return the chunk and the start of the next one, with the headings that nothing has followed yet."""
        end = len(self.parts)
        while end and self.parts[end - 1].block.type == "heading":
            end -= 1
        following = _Gathered(self.above)
        for part in self.parts[end or len(self.parts) :]:
            following.add(part)
        return self.chunk(end or len(self.parts)), following

    def chunk(self, end: int) -> Chunk:
        return Chunk(tuple(self.parts[:end]), self.headings)


def _pieces(text: str) -> Iterator[str]:
    """Yield the text in pieces that a chunk can take, cut after sentences where there are any."""
    words = list(_WORD.finditer(text))
    start = 0
    while start < len(words):
        end = _end_of_piece(text, words, start)
        yield text[words[start].start() : words[end - 1].end()]
        start = end


def _end_of_piece(text: str, words: Sequence[re.Match[str]], start: int) -> int:
    limit = start + MAX_WORDS
    if limit >= len(words):
        return len(words)
    for end in range(limit, start + MIN_WORDS, -1):
        white = text[words[end - 1].end() : words[end].start()]
        if "\n" in white or _SENTENCE_END.search(words[end - 1][0]):
            return end
    return limit
