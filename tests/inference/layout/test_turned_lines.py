"""Tests of the direction of lines, and of the turn that makes most of a page's text upright."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.core.contracts import Quad, TextLine
from inference.layout.turned_lines import Turn, direction_of, turn_of_lines, turned_around_origin


def box_at(degrees: float, length: float = 600.0) -> Quad:
    """The corners of a line that runs at this angle, clockwise from level."""
    one, two, three, four = turned_around_origin([(0, 0), (length, 0), (length, 20), (0, 20)], degrees)
    return one, two, three, four


def line(degrees: float, chars: int = 50) -> TextLine:
    return TextLine("m" * chars, box_at(degrees), 1.0)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param([], Turn(0, 0.0), id="nothing"),
        pytest.param([line(0)], Turn(0, 0.0), id="level"),
        pytest.param([line(90)], Turn(270, 0.0), id="down the page"),
        pytest.param([line(-90)], Turn(90, 0.0), id="up the page"),
        pytest.param([line(180)], Turn(180, 0.0), id="upside down"),
        pytest.param([line(-177)], Turn(180, 3.0), id="upside down and askew"),
        pytest.param([line(0.2)], Turn(0, 0.0), id="hardly askew"),
        pytest.param([line(-4)], Turn(0, -4.0), id="askew"),
        pytest.param([line(0), line(90, 30)], Turn(0, 0.0), id="a stamp"),
        pytest.param([line(90), line(0, 30)], Turn(270, 0.0), id="a turned table with an upright header"),
        pytest.param([line(0), line(90)], Turn(0, 0.0), id="half and half"),
        pytest.param([line(0, 60), line(-45, 40)], Turn(0, 0.0), id="a watermark"),
        pytest.param([line(angle) for angle in range(-20, 21, 4)], Turn(0, 0.0), id="labels of a map"),
        pytest.param([TextLine("without a box", None, 1.0)], Turn(0, 0.0), id="plain text"),
        pytest.param([TextLine(" ", box_at(90), 1.0)], Turn(0, 0.0), id="blanks"),
    ],
)
def test_most_characters_say_how_the_page_is_turned(lines: list[TextLine], expected: Turn) -> None:
    assert turn_of_lines(lines) == expected


@given(st.floats(-180, 180))
def test_the_turn_makes_any_page_level(degrees: float) -> None:
    turn = turn_of_lines([line(degrees)])
    assert abs(turn.angle) <= 45
    left = (degrees + turn.rotation - turn.angle + 180) % 360 - 180
    assert abs(left) <= 0.31


def test_direction_is_clockwise_as_the_page_is_seen() -> None:
    assert direction_of(((0, 0), (10, 10), (0, 20), (-10, 10))) == pytest.approx(45)
    assert math.isclose(direction_of(box_at(-120)), -120)
