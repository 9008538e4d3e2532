import numpy as np
import pytest

from inference.core.contracts import Pixels
from inference.pictures.orientation import MAX_SQUARES, SQUARE, Orientation, classifier_input, decide
from inference.pictures.skew import Skew
from tests.inference.pictures.drawing import ODD, drawn_lines, plain

UNCLEAR, LEVEL, PLUMB = Skew(0.0, 1.0, False), Skew(0.0, 5.0, False), Skew(0.0, 5.0, True)


@pytest.mark.parametrize(
    ("probabilities", "skew", "rotation"),
    [
        ([[1.0, 0.0, 0.0, 0.0]], UNCLEAR, 0),
        ([[0.0, 1.0, 0.0, 0.0]], UNCLEAR, 270),
        ([[0.0, 0.0, 1.0, 0.0]], UNCLEAR, 180),
        ([[0.0, 0.0, 0.0, 1.0]], UNCLEAR, 90),
        ([[0.4, 0.2, 0.2, 0.2]], UNCLEAR, 0),
        ([[0.3, 0.5, 0.1, 0.1]], UNCLEAR, 0),
        ([[0.3, 0.5, 0.1, 0.1]], PLUMB, 270),
        ([[0.2, 0.7, 0.0, 0.1]], LEVEL, 0),
        ([[0.05, 0.45, 0.4, 0.1]], LEVEL, 180),
        ([[0.0, 0.99, 0.0, 0.01]], LEVEL, 270),
        ([[0.9, 0.0, 0.1, 0.0], [0.0, 0.0, 1.0, 0.0], [0.1, 0.0, 0.9, 0.0]], UNCLEAR, 180),
        ([[0.25] * 4], LEVEL, 0),
        ([[0.0] * 4], LEVEL, 0),
    ],
)
def test_the_turn_follows_from_the_classifier_and_the_rows(
    probabilities: list[list[float]], skew: Skew, rotation: int
) -> None:
    assert decide(probabilities, skew).rotation == rotation


def test_a_page_that_stays_as_it_lies_for_want_of_certainty_says_so() -> None:
    assert decide([[0.0, 0.5, 0.5, 0.0]], UNCLEAR) == Orientation(0, 0.5)


@pytest.mark.parametrize(
    ("height", "width", "squares"),
    [(1200, 900, 1), (900, 1200, 1), (300, 300, 1), (10, 10, 1), (400, 1600, 3), (1600, 400, 3), (50, 101, 3)],
)
def test_a_long_picture_is_cut_into_several_squares(height: int, width: int, squares: int) -> None:
    assert classifier_input(plain(height, width)).shape == (squares, 3, SQUARE, SQUARE)


@pytest.mark.parametrize("pixels", ODD.values(), ids=ODD.keys())
def test_any_picture_gives_few_squares_of_finite_numbers(pixels: Pixels) -> None:
    squares = classifier_input(pixels)
    assert 1 <= len(squares) <= MAX_SQUARES
    assert squares.shape[1:] == (3, SQUARE, SQUARE)
    assert np.isfinite(squares).all()


@pytest.mark.parametrize(("height", "width"), [(1, 20_000), (20_000, 1), (3, 60_000)])
def test_a_very_long_picture_takes_no_more_memory(height: int, width: int) -> None:
    assert classifier_input(plain(height, width)).nbytes <= MAX_SQUARES * 3 * SQUARE * SQUARE * 4


def test_colors_are_normalized_as_in_training() -> None:
    squares = classifier_input(plain(300, 300, 255))
    assert squares[0, :, 0, 0].tolist() == pytest.approx(
        [(1 - 0.485) / 0.229, (1 - 0.456) / 0.224, (1 - 0.406) / 0.225]
    )


def test_the_middle_of_the_page_is_looked_at() -> None:
    page = drawn_lines()
    page = np.where(np.indices(page.shape[:2])[0][:, :, None] < 40, 0, page).astype(np.uint8)
    assert classifier_input(page)[0, 0, :8].mean() > 0
