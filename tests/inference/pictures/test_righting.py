import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.core.contracts import Quad
from inference.pictures.righting import Righting
from tests.inference.pictures.drawing import plain

TURNS = (0, 90, 180, 270)
SHEETS = st.tuples(*(st.floats(0, 0.12) for _ in range(8)))


@st.composite
def rightings(draw: st.DrawFn, most: int = 4000) -> Righting:
    width, height = draw(st.integers(1, most)), draw(st.integers(1, most))
    angle = draw(st.one_of(st.just(0.0), st.floats(-45, 45)))
    sheet = sheet_of(width, height, draw(SHEETS)) if draw(st.booleans()) else None
    return Righting(width, height, draw(st.sampled_from(TURNS)), angle, sheet)


def sheet_of(width: int, height: int, insets: tuple[float, ...]) -> Quad:
    a, b, c, d, e, f, g, h = insets
    return (
        (a * width, b * height),
        (width - c * width, d * height),
        (width - e * width, height - f * height),
        (g * width, height - h * height),
    )


@given(rightings(), st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=5))
def test_positions_go_to_the_upright_picture_and_back(righting: Righting, shares: list[tuple[float, float]]) -> None:
    size = (righting.width, righting.height)
    stored = np.array(shares) * size
    assert np.allclose(righting.on_stored(righting.on_shown(stored)), stored, atol=1e-4 * max(size))


@given(rightings())
def test_the_upright_picture_holds_the_whole_sheet(righting: Righting) -> None:
    width, height = righting.shown_size
    whole: Quad = ((0, 0), (righting.width, 0), (righting.width, righting.height), (0, righting.height))
    corners = righting.on_shown(righting.sheet or whole)
    assert width >= 1
    assert height >= 1
    assert (corners >= -1.01).all()
    assert (corners <= np.array([width, height]) + 1.01).all()


@given(
    st.tuples(st.integers(40, 90), st.integers(40, 90)),
    st.sampled_from(TURNS),
    st.sampled_from([0.0, -8.0, 3.5, 14.0]),
    st.one_of(st.none(), SHEETS),
    st.tuples(st.floats(0.3, 0.7), st.floats(0.3, 0.7)),
)
@settings(max_examples=60)
def test_a_drawn_dot_moves_to_where_positions_move(
    size: tuple[int, int],
    rotation: int,
    angle: float,
    insets: tuple[float, ...] | None,
    place: tuple[float, float],
) -> None:
    width, height = size
    righting = Righting(width, height, rotation, angle, sheet_of(width, height, insets) if insets else None)
    across, down = round(place[0] * width), round(place[1] * height)
    picture = plain(height, width)
    picture[down - 1 : down + 1, across - 1 : across + 1] = 0
    shown = righting.apply(picture)
    darkness = 255.0 - shown[:, :, 0]
    darkness[darkness < 20] = 0
    rows, columns = np.indices(darkness.shape)
    found = ((columns + 0.5) * darkness).sum() / darkness.sum(), ((rows + 0.5) * darkness).sum() / darkness.sum()
    assert math.dist(found, righting.on_shown([(across, down)])[0]) < 0.35


@given(rightings(most=400))
@settings(max_examples=40)
def test_the_upright_picture_has_the_size_that_was_said(righting: Righting) -> None:
    shown = righting.apply(plain(righting.height, righting.width))
    assert shown.shape == (righting.shown_size[1], righting.shown_size[0], 3)


@pytest.mark.parametrize("rotation", TURNS)
@pytest.mark.parametrize("angle", [0.0, 12.0])
@pytest.mark.parametrize(("height", "width"), [(1, 1), (1, 50), (50, 1)])
def test_a_picture_of_one_pixel_is_righted(height: int, width: int, rotation: int, angle: float) -> None:
    righting = Righting(width, height, rotation, angle)
    shown = righting.apply(plain(height, width, 7))
    assert shown.shape == (righting.shown_size[1], righting.shown_size[0], 3)
    assert (shown == 7).all()


@pytest.mark.parametrize(("rotation", "turns"), [(90, 3), (180, 2), (270, 1)])
def test_a_turn_alone_keeps_every_pixel(rotation: int, turns: int) -> None:
    picture = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
    assert (Righting(6, 4, rotation).apply(picture) == np.rot90(picture, turns)).all()


def test_nothing_to_do_gives_the_same_picture() -> None:
    picture = plain(4, 6)
    assert Righting(6, 4).apply(picture) is picture


def test_what_lies_beyond_the_page_is_shown_as_its_paper() -> None:
    picture = plain(100, 80, 235)
    picture[40:60, 20:60] = 0
    shown = Righting(80, 100, angle=10.0).apply(picture)
    assert shown[0, 0].tolist() == shown[-1, -1].tolist() == [235, 235, 235]


def test_a_sheet_fills_the_upright_picture() -> None:
    picture = plain(100, 80, 30)
    picture[20:90, 10:60] = 250
    righting = Righting(80, 100, sheet=((10, 20), (60, 20), (60, 90), (10, 90)))
    assert righting.shown_size == (50, 70)
    assert (righting.apply(picture)[1:-1, 1:-1] == 250).all()


def test_no_positions_stay_no_positions() -> None:
    assert Righting(80, 100, 90).on_stored([]).size == 0
