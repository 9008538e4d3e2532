"""Shapes of values: which signs are letters and digits, and how much a text is like the values pointed at."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby

MAX_SHAPE = 160
"""The signs of a shape that are kept."""
SAME, SAME_RUNS, SAME_SIGNS, SOME = 1.0, 0.95, 0.85, 0.6
_SPACES = re.compile(r"[^\S\n]+")


def shape_of(text: str) -> str:
    """Return a text with `A`, `a` and `9` for its letters and digits. Its lines stay."""
    return "".join(map(_sign, _SPACES.sub(" ", text.strip())))[:MAX_SHAPE]


def _sign(sign: str) -> str:
    if sign.isdigit():
        return "9"
    if sign.isalpha():
        return "A" if sign.isupper() else "a"
    return sign


def lines_of(shape: str) -> int:
    return shape.count("\n") + 1


@lru_cache(maxsize=4096)
def runs_of(shape: str) -> tuple[str, ...]:
    """Return the kinds of signs of a shape in their order, without how many there are of each."""
    return tuple(sign for sign, _ in groupby("a" if sign == "A" else sign for sign in shape))


def likeness(text: str, shapes: Sequence[str]) -> float:
    """Return how much the shape of a text is like one of these, from 0 to 1. Without shapes any text is like them."""
    if not shapes:
        return SAME
    own = shape_of(text)
    return max(_likeness(own, shape) for shape in shapes)


def _likeness(own: str, wanted: str) -> float:
    if own == wanted:
        return SAME
    runs, wanted_runs = runs_of(own), runs_of(wanted)
    if runs == wanted_runs:
        near = abs(len(own) - len(wanted)) <= max(2, len(wanted) // 2)
        return SAME_RUNS if near else SAME_SIGNS
    if set(runs) - {" "} == set(wanted_runs) - {" "} and runs[:1] == wanted_runs[:1]:
        spaced = " " in runs and " " not in wanted_runs
        return SAME_SIGNS if len(own) <= 2 * len(wanted) + 2 and not spaced else SOME
    has_digits = "9" in runs
    return SOME if has_digits == ("9" in wanted_runs) and len(own) <= 2 * len(wanted) + 4 else 0.0
