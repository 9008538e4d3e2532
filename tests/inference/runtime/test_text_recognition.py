import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.runtime.text_recognition import (
    LINE_HEIGHT,
    MIN_SQUEEZED_HEIGHT,
    MIN_WIDTH,
    SQUEEZE,
    CharacterSet,
    ScaledLine,
    column_starts,
    cut_line,
    recognizer_input,
    scaled_line,
    with_columns_apart,
)


def chances(*classes: int, certainty: float = 0.8) -> np.ndarray[tuple[int, int, int], np.dtype[np.float32]]:
    """Return the output for a line of steps of these classes (0 blank, 1 `a`, 2 `b`, 3 space) and certainty."""
    steps = np.zeros((1, len(classes), 4), np.float32)
    steps[0, np.arange(len(classes)), classes] = certainty
    return steps


def line(steps: int, squeeze: float = 1.0) -> ScaledLine:
    return ScaledLine(np.zeros((LINE_HEIGHT, 8 * steps, 3), np.uint8), squeeze)


@pytest.mark.parametrize(
    ("classes", "text"),
    [
        ((1, 1, 2), "ab"),
        ((1, 0, 1), "aa"),
        ((0, 1, 3, 2, 0), "a b"),
        ((0, 0), ""),
    ],
)
def test_repeats_are_one_character_unless_a_blank_parts_them(classes: tuple[int, ...], text: str) -> None:
    (decoded,) = CharacterSet("a\nb").decode(chances(*classes), width=8 * len(classes), lines=[line(len(classes))])
    assert decoded.text == text
    assert decoded.confidence == pytest.approx(0.8 if text else 0.0)


@pytest.mark.parametrize(
    ("blanks", "text"), [(4, "ab"), (5, "a b"), (20, "a b")], ids=["neighbors", "columns", "far columns"]
)
def test_columns_of_a_table_are_parted_by_one_space(blanks: int, text: str) -> None:
    steps = chances(1, *[0] * blanks, 2)
    (decoded,) = CharacterSet("a\nb").decode(steps, width=8 * steps.shape[1], lines=[line(steps.shape[1])])
    assert decoded.text == text
    assert decoded.confidence == pytest.approx(0.8)


def test_words_lie_where_their_characters_are_recognized() -> None:
    steps = chances(0, 1, 0, 1, 0, 3, 0, 2, 0, 0)
    (decoded,) = CharacterSet("a\nb").decode(steps, width=80, lines=[line(10)])
    assert decoded.text == "aa b"
    assert np.allclose(decoded.words, [(0.05, 0.45), (0.65, 0.85)])


def test_gap_between_columns_is_narrower_where_letters_are_squeezed() -> None:
    steps = chances(1, *[0] * 4, 2)
    (decoded,) = CharacterSet("a\nb").decode(steps, width=8 * steps.shape[1], lines=[line(steps.shape[1], SQUEEZE)])
    assert decoded.text == "a b"


@pytest.mark.parametrize(
    ("characters", "gap", "text"),
    [
        ("a ", 1.5, "a "),
        (" a", 1.5, " a"),
        ("、三", 1.2, "、三"),
        ("量3", 1.2, "量3"),
        ("量三", 2.0, "量 三"),
    ],
)
def test_no_space_is_added_beside_another_or_inside_chinese_text(characters: str, gap: float, text: str) -> None:
    assert with_columns_apart(characters, column_starts(characters, [gap])) == text


def test_line_with_nothing_on_it_stays_empty() -> None:
    assert with_columns_apart([], column_starts([], [])) == ""


@given(width=st.integers(1, 3000), height=st.integers(1, 200))
def test_a_line_fits_the_width_that_is_its_own(width: int, height: int) -> None:
    line = scaled_line(np.zeros((height, width, 3), np.uint8))
    assert line.width <= line.padded_width
    assert line.padded_width >= MIN_WIDTH


def test_lines_of_like_width_are_padded_alike() -> None:
    widths = {scaled_line(np.zeros((24, width, 3), np.uint8)).padded_width for width in (185, 188, 192)}
    assert widths == {384}


def test_letters_are_squeezed_only_where_they_are_large() -> None:
    low, high = (scaled_line(np.zeros((height, 99, 3), np.uint8)) for height in (MIN_SQUEEZED_HEIGHT - 1, 48))
    assert (low.squeeze, low.width) == (1.0, 176)
    assert (high.squeeze, high.width) == (SQUEEZE, 80)


def test_line_is_scaled_to_height_and_padded_with_zero() -> None:
    batch = recognizer_input([scaled_line(np.full((24, 50, 3), 255, np.uint8))], 320)
    assert (batch[0, :, :, :100] == 1).all()
    assert (batch[0, :, :, 100:] == 0).all()


def test_slanted_line_is_cut_out_straight() -> None:
    picture = np.zeros((200, 300, 3), np.uint8)
    box = np.array([[50, 60], [150, 50], [153, 80], [53, 90]], np.float32)
    assert cut_line(picture, box).shape == (30, 100, 3)


def test_upright_line_is_turned_to_lie() -> None:
    box = np.array([[10, 10], [30, 10], [30, 110], [10, 110]], np.float32)
    assert cut_line(np.zeros((200, 100, 3), np.uint8), box).shape == (20, 100, 3)
