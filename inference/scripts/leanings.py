"""The characters that the text recognition leans to along a line.

It gives each step of a line a probability for each of its thousands of characters. For letters that it does not know
its answer is mostly empty, but how it divides what is left among its characters differs from script to script.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
LEAST = np.float32(1e-30)
"""The smallest probability whose logarithm is taken."""


def leanings(chances: Floats, blank: int, chosen: Sequence[int]) -> Floats:
    """Return the line's features, by `steps x classes`: the mean logarithms for the chosen characters, and the blank.

    Those of the characters are relative to their own mean, so that they do not depend on how empty the line is.
    """
    columns = np.log(np.maximum(chances[:, [blank, *chosen]], LEAST)).mean(axis=0)
    columns[1:] -= columns[1:].mean()
    return np.asarray(columns, np.float32)
