import numpy as np
import pytest

from inference.factory.pruning.errors import Coarsen, Refused
from inference.factory.pruning.labels import FIXED, joined, relabeled, through_reshape


def test_flatten_repeats_each_channel_for_its_pixels() -> None:
    axis, labels = through_reshape(["n", 3, 2, 2], ["n", 12], 1, np.arange(3))

    assert (axis, labels.tolist()) == (1, [0] * 4 + [1] * 4 + [2] * 4)
    assert through_reshape(["n", 12], [None, 3, 2, 2], 1, labels)[1].tolist() == [0, 1, 2]


def test_splitting_into_heads_offers_heads_or_their_places() -> None:
    with pytest.raises(Coarsen) as found:
        through_reshape(["n", "s", 6], ["n", "s", 2, 3], 2, np.arange(6))

    heads, places = (joined(6, pairs).tolist() for pairs in found.value.options)
    assert heads == [0, 0, 0, 1, 1, 1]
    assert places == [0, 1, 2, 0, 1, 2]
    assert through_reshape(["n", "s", 6], ["n", "s", 2, 3], 2, np.array(heads))[0] == 2


@pytest.mark.parametrize(("before", "after"), [(["n", "s", 6], ["m"]), (["n", 6, "s"], ["n", "t"]), ([4, 6], [3, 8])])
def test_unclear_reshape_is_refused(before: list[int | str], after: list[int | str]) -> None:
    with pytest.raises((Refused, Coarsen)):
        through_reshape(before, after, 1, np.arange(6))


def test_units_joined_with_a_fixed_one_are_fixed() -> None:
    renumbering = joined(4, [(0, 1), (2, FIXED)])

    assert relabeled(np.array([0, 1, 2, 3, FIXED]), renumbering).tolist() == [0, 0, FIXED, 1, FIXED]
