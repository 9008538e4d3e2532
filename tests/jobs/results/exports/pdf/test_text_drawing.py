"""Test that words copied from the invisible text of a page are the words of its lines, in their order."""

import io
import math

import pikepdf
import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name, Pdf

from inference.core.contracts import Quad
from inference.pictures.righting import Righting
from jobs.results.exports.page_lines import Line
from jobs.results.exports.pdf.character_codes import CharacterCodes
from jobs.results.exports.pdf.invisible_font import invisible_font
from jobs.results.exports.pdf.text_drawing import FONT, Sheet, invisible_lines

WIDTH_PX, HEIGHT_PX = 1_000, 1_400
SCALE = 72 / 200
HYPHEN = "\ufffe"
"""The sign that PDFium returns for a hyphen at the end of a printed line. A browser leaves it out of what is copied."""


def line(text: str, left: float, top: float, width: float, height: float = 40) -> Line:
    right, bottom = left + width, top + height
    return Line(text, ((left, top), (right, top), (right, bottom), (left, bottom)))


def copied(lines: list[Line], *, size: tuple[int, int] = (WIDTH_PX, HEIGHT_PX), rotation: int = 0) -> list[str]:
    """Return the words that a reader copies from a page with these lines."""
    pdf, codes = Pdf.new(), CharacterCodes()
    width, height = size[0] * SCALE, size[1] * SCALE
    drawing = invisible_lines(lines, Sheet(height, SCALE), codes)
    page = Dictionary(
        Type=Name.Page,
        MediaBox=Array([0, 0, round(width, 4), round(height, 4)]),
        Rotate=rotation,
        Resources=Dictionary(Font=Dictionary({f"/{FONT}": invisible_font(pdf, codes.characters)})),
        Contents=pdf.make_stream(drawing),
    )
    pdf.pages.append(pikepdf.Page(pdf.make_indirect(page)))
    out = io.BytesIO()
    pdf.save(out)
    text: str = pypdfium2.PdfDocument(out.getvalue())[0].get_textpage().get_text_range()
    return text.split()


def words(lines: list[Line]) -> list[str]:
    return " ".join(each.text for each in lines).split()


COLUMNS = [
    *(line(f"left {number} words here", 80, 100 + 50 * number, 350) for number in range(4)),
    *(line(f"right {number} other words", 480, 112 + 50 * number, 350) for number in range(4)),
]


@pytest.mark.parametrize(
    "lines",
    [
        COLUMNS,
        [line("a", 80, 100, 20), line("b", 105, 100, 20), line("small", 80, 145, 30, 10)],
        [line("many narrow words in a row that is i l i", 80, 100, 120)],
        [line("few wide words", 80, 100, 900, 20)],
        [line("שלום", 300, 100, 100), line("עולם 42", 195, 100, 100)],
        [line("漢字 テスト", 80, 100, 200), line("นมัส สวัสดี", 80, 150, 200)],
    ],
)
def test_words_stay_apart_and_in_order(lines: list[Line]) -> None:
    assert copied(lines) == words(lines)


def test_a_hyphen_at_the_end_of_a_line_joins_the_word_again() -> None:
    lines = [line("runs on in the next prin-", 80, 100, 600), line("ted line", 80, 150, 200)]
    assert [word.replace(HYPHEN, "") for word in copied(lines)] == [
        "runs",
        "on",
        "in",
        "the",
        "next",
        "printed",
        "line",
    ]


RIGHTINGS = [
    Righting(WIDTH_PX, HEIGHT_PX, rotation=90),
    Righting(WIDTH_PX, HEIGHT_PX, rotation=180),
    Righting(WIDTH_PX, HEIGHT_PX, rotation=270, angle=2.5),
    Righting(WIDTH_PX, HEIGHT_PX, angle=-7.0),
    Righting(WIDTH_PX, HEIGHT_PX, sheet=((60, 40), (930, 90), (980, 1_350), (20, 1_300))),
    Righting(WIDTH_PX, HEIGHT_PX, 90, 1.5, ((60, 40), (930, 90), (980, 1_350), (20, 1_300))),
]


@pytest.mark.parametrize("righting", RIGHTINGS)
def test_words_of_a_picture_that_was_turned_are_in_order(righting: Righting) -> None:
    lines = [Line(each.text, _stored(righting, each.box)) for each in COLUMNS if each.box]
    assert copied(lines, rotation=righting.rotation) == words(COLUMNS)


def _stored(righting: Righting, box: Quad) -> Quad:
    first, second, third, fourth = (tuple(corner) for corner in righting.on_stored(box).tolist())
    return first, second, third, fourth


WORDS = st.lists(st.text("abcdefgXYZ0159.,%€äßж漢", min_size=1, max_size=9), min_size=1, max_size=7).map(" ".join)
PLACES = st.dictionaries(st.tuples(st.integers(0, 25), st.integers(0, 2)), WORDS, min_size=1, max_size=30)


@settings(max_examples=60)
@given(PLACES, st.floats(0.35, 0.7), st.integers(18, 44))
def test_words_of_any_rows_and_cells_are_in_order(
    places: dict[tuple[int, int], str], letter: float, height: int
) -> None:
    """`letter` is the width of a letter as a share of its height. A line that gets too long is squeezed."""
    lines = [
        line(text, 20 + 325 * column, 20 + 52 * row, min(300, math.ceil(letter * height * len(text))), height)
        for (row, column), text in sorted(places.items())
    ]
    assert copied(lines) == words(lines)
