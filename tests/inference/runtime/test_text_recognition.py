import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.runtime.text_recognition import CharacterSet, cut_line, plan_batches, recogniser_input


def chances(*classes: int, certainty: float = 0.8) -> np.ndarray[tuple[int, int, int], np.dtype[np.float32]]:
    """One line whose steps are sure of these classes (0 blank, 1 `a`, 2 `b`, 3 space)."""
    steps = np.zeros((1, len(classes), 4), np.float32)
    steps[0, np.arange(len(classes)), classes] = certainty
    return steps


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
    (decoded,) = CharacterSet("a\nb").decode(chances(*classes))
    assert decoded.text == text
    assert decoded.confidence == pytest.approx(0.8 if text else 0.0)


@given(aspects=st.lists(st.floats(0.1, 60), max_size=40))
def test_every_line_is_in_one_batch_and_fits_its_width(aspects: list[float]) -> None:
    batches = plan_batches(aspects)
    assert sorted(line for batch in batches for line in batch.lines) == list(range(len(aspects)))
    for batch in batches:
        assert batch.width >= max(320, int(48 * max(aspects[line] for line in batch.lines)))


def test_narrow_lines_share_batches_with_narrow_lines() -> None:
    narrow, wide = plan_batches([20.0, 7.0] * 6)
    assert (narrow.width, wide.width) == (336, 960)


def test_line_is_scaled_to_height_and_padded_with_zero() -> None:
    batch = recogniser_input([np.full((24, 50, 3), 255, np.uint8)], 320)
    assert batch.shape == (1, 3, 48, 320)
    assert (batch[0, :, :, :100] == 1).all()
    assert (batch[0, :, :, 100:] == 0).all()


def test_slanted_line_is_cut_out_straight() -> None:
    picture = np.zeros((200, 300, 3), np.uint8)
    box = np.array([[50, 60], [150, 50], [153, 80], [53, 90]], np.float32)
    assert cut_line(picture, box).shape == (30, 100, 3)


def test_upright_line_is_turned_to_lie() -> None:
    box = np.array([[10, 10], [30, 10], [30, 110], [10, 110]], np.float32)
    assert cut_line(np.zeros((200, 100, 3), np.uint8), box).shape == (20, 100, 3)
