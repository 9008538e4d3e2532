"""The roles of paragraphs: headers, footers and page numbers at the edges of a page, headings, captions and notes."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from inference.layout.boxes import PICTURE, Box, PageLine
from inference.layout.paragraphs import Paragraph, begins_item, begins_section

TOP_EDGE, BOTTOM_EDGE = 0.1, 0.12
"""The shares of the page's height at its top and bottom in which headers and footers stand."""
MAX_EDGE_LINES = 4
WHITE_TO_BODY = 0.9
"""The white between a header or footer and the body, as a multiple of a line's height."""
PAGE_NUMBER = re.compile(
    r"(?i)\W*(?:(?:page|seite|p\.|s\.|blatt)\s*)?(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:/|of|von|de|sur)\s*\d{1,4})?\W*"
)
CAPTION = re.compile(
    r"(?i)\s*(?:fig(?:ure|\.)?|tab(?:le|\.|elle)?|abb(?:ildung|\.)?|chart|diagramm?|photo|foto|bild|map|karte)\s*(?:[A-Z]{1,3}-?)?\d+[a-z]?\s*[.:–-]?"
)
FOOTNOTE = re.compile(r"\s*(?:(?:[¹²³⁴⁵⁶⁷⁸⁹]{1,2}|[*†‡]{1,3}|\[\d{1,2}\])\s*\S|\d{1,2}\s*[^\W\d])")
NUMBERED_NOTE = re.compile(r"\s*(\d{1,3})[.)]?\s+[^\W\d]")
MIN_LATE_NUMBER = 10
"""The number of a note, at least, that no list at the foot of a column begins with."""
SECTION = re.compile(r"\s*(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s")
SMALL = 0.92
"""The height of notes, headers and captions, at most, as a share of the usual height."""
NARROW_LETTERS = 0.88
"""The width of a letter of notes, at most, as a share of the usual width. Boxes of recognized lines have the width of
their print, but hardly more heights than a few, so that small print may seem to be as high as any other."""
LARGE = 1.18
"""The height of a heading, at least, as a multiple of the usual height."""
LARGE_AT_EDGE = 1.5
"""The height from which a line at the edge of the page is a headline, however wide its letters are."""
WIDE_LETTERS, WIDEST_LETTERS = 1.08, 1.33
"""The widths of a letter, as multiples of the usual width, from which a line at the top of the page is a title and no
header: one that is large too, since tall letters alone make a line high, and one of any height, as bold print is. Lines
in capitals are wide in any print."""
MIN_BEFORE_NOTES = 30
"""The length of the text above footnotes, at least. The numbers of a list have a heading above them."""
MAX_CAPTION_ROWS = 2
MAX_HEADING_ROWS = 4
MAX_TITLE_ROWS = 2
MAX_HEADING_CHARACTERS = 140
LEVELS = 3


@dataclass(frozen=True, slots=True)
class Block:
    type: str
    paragraph: Paragraph
    level: int | None = None
    table: int | None = None
    """The position of a table among those of the page."""


@dataclass(frozen=True, slots=True)
class Edges:
    """The lines of a page, those at its edges apart."""

    header: tuple[PageLine, ...]
    body: tuple[PageLine, ...]
    footer: tuple[PageLine, ...]


def is_page_number(text: str) -> bool:
    return any(map(str.isalnum, text)) and PAGE_NUMBER.fullmatch(text.strip()) is not None


def part_edges(lines: Sequence[PageLine], page_height: float, usual: float, letter: float) -> Edges:
    """Part the edges of a page from its body: a few lines in small print, with white between them and the body.

    `usual` is the usual height of a line, `letter` the usual width of a letter.
    """
    by_top = sorted(lines, key=lambda line: line.box.top)
    header = _edge(by_top, lambda line: line.box.bottom <= TOP_EDGE * page_height, usual)
    if any(_is_title(line, usual, letter) for line in header):
        header = []
    rest = [line for line in by_top if line not in header]
    by_bottom = sorted(rest, key=lambda line: -line.box.bottom)
    footer = _edge(by_bottom, lambda line: line.box.top >= (1 - BOTTOM_EDGE) * page_height, usual)
    body = tuple(line for line in lines if line not in header and line not in footer)
    return Edges(tuple(header), body, tuple(footer)) if body else Edges((), tuple(lines), ())


def _edge(inwards: Sequence[PageLine], is_at_edge: Callable[[PageLine], bool], usual: float) -> list[PageLine]:
    """Return the lines before the first white that is wide enough, or none if they are large or many."""
    found: list[PageLine] = []
    for line in inwards:
        if found and _white(found, line) >= WHITE_TO_BODY * usual:
            return found
        if not is_at_edge(line) or len(found) == MAX_EDGE_LINES or line.box.height > LARGE_AT_EDGE * usual:
            return []
        if CAPTION.match(line.text):
            return []
        found.append(line)
    return []


def _is_title(line: PageLine, usual: float, letter: float) -> bool:
    """Return whether a line at the top of a page is in larger print than the text."""
    height, width = line.box.height / usual, line.box.width / max(1, len(line.text)) / max(letter, 1e-6)
    if height >= LARGE_AT_EDGE:
        return True
    if height >= LARGE and width >= WIDE_LETTERS:
        return True
    return width >= WIDEST_LETTERS and not line.text.isupper()


def _white(found: Sequence[PageLine], line: PageLine) -> float:
    if not found:
        return 0.0
    edge = Box.around(each.box for each in found)
    return max(line.box.top - edge.bottom, edge.top - line.box.bottom)


def find_notes(paragraphs: Sequence[Paragraph], usual: float, letter: float) -> range:
    """Return the numbers of the footnotes: the small print with marks at the foot of a column or above a picture.

    `usual` is the usual height of a line, `letter` the usual width of a letter.
    """
    first = end = len(paragraphs) - _ends_with_caption(paragraphs, usual)
    for position in range(end - 1, -1, -1):
        if not is_small(paragraphs[position], usual) and paragraphs[position].letter_width > NARROW_LETTERS * letter:
            break
        if _is_note(paragraphs[position], usual, letter):
            first = position
    before = len(paragraphs[first - 1].text) if 0 < first < end else 0
    return range(first, end) if before >= MIN_BEFORE_NOTES else range(0)


def _is_note(paragraph: Paragraph, usual: float, letter: float) -> bool:
    """Return whether it begins with the mark of a note. A number with a point is one where no list would begin."""
    if FOOTNOTE.match(paragraph.text):
        return True
    number = NUMBERED_NOTE.match(paragraph.text)
    if number is None or paragraph.height > SMALL * usual:
        return False
    return int(number[1]) >= MIN_LATE_NUMBER or paragraph.letter_width <= NARROW_LETTERS * letter


def is_small(paragraph: Paragraph, usual: float) -> bool:
    return min(paragraph.height, fmean(row.box.height for row in paragraph.rows)) <= SMALL * usual


def _ends_with_caption(paragraphs: Sequence[Paragraph], usual: float) -> bool:
    """Return whether the last paragraph is a short one with white as high as a picture above it."""
    if len(paragraphs) < 2 or len(paragraphs[-1].rows) > MAX_CAPTION_ROWS or FOOTNOTE.match(paragraphs[-1].text):
        return False
    return paragraphs[-1].box.top - paragraphs[-2].box.bottom >= PICTURE * usual


def role_of(paragraph: Paragraph, usual: float) -> str:
    text = paragraph.text.strip()
    if begins_item(text) and not _is_numbered_title(paragraph, text, usual):
        return "list_item"
    if _is_section_title(paragraph, text, usual):
        return "heading"
    if CAPTION.match(text) and len(paragraph.rows) <= MAX_HEADING_ROWS:
        return "caption"
    if begins_section(text):
        return "list_item"
    return "heading" if _may_be_heading(paragraph, text) and paragraph.height >= LARGE * usual else "paragraph"


def _is_section_title(paragraph: Paragraph, text: str, usual: float) -> bool:
    below_chapter = begins_section(text) and len(paragraph.rows) <= MAX_TITLE_ROWS and _may_be_heading(paragraph, text)
    return below_chapter or _is_numbered_title(paragraph, text, usual)


def _is_numbered_title(paragraph: Paragraph, text: str, usual: float) -> bool:
    """Return whether a number and a title are in large print or capitals, and are no item of a list."""
    large = paragraph.height >= LARGE * usual or (text.isupper() and len(paragraph.rows) == 1)
    return large and SECTION.match(text) is not None and _may_be_heading(paragraph, text)


def _may_be_heading(paragraph: Paragraph, text: str) -> bool:
    return (
        len(paragraph.rows) <= MAX_HEADING_ROWS
        and len(text) <= MAX_HEADING_CHARACTERS
        and sum(map(str.isalpha, text)) >= 3
        and not text.endswith((".", ",", ";"))
    )


def with_levels(blocks: Sequence[Block]) -> list[Block]:
    """Give headings levels by the numbers of their sections, and others by their heights, the largest first."""
    heights = sorted({block.paragraph.height for block in blocks if block.type == "heading"}, reverse=True)
    ranks: list[float] = []
    for height in heights:
        if not ranks or height < ranks[-1] / 1.12:
            ranks.append(height)

    def level(paragraph: Paragraph) -> int:
        number = SECTION.match(paragraph.text)
        if number:
            return min(LEVELS, 1 + number[1].count("."))
        return min(LEVELS, 1 + next(index for index, rank in enumerate(ranks) if paragraph.height >= rank / 1.12))

    return [replace(block, level=level(block.paragraph)) if block.type == "heading" else block for block in blocks]
