"""Measure how far a read text is from the truth, how well its order is kept, and whether its confidence is honest."""

import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import numpy.typing as npt

from inference.factory.measures.located import Located, folded, located_edits, true_length

rapid = import_module("rapidfuzz.distance.Levenshtein") if find_spec("rapidfuzz") else None


def character_error_rate(truth: str, read: str) -> float:
    """Return edits over the length of the truth, both folded; with an empty truth, 0 if nothing was read, else 1."""
    truth, read = folded(truth), folded(read)
    if not truth:
        return float(bool(read))
    return edits(truth, read) / len(truth)


def located_error_rate(words: Sequence[Located], lines: Sequence[Located]) -> float:
    """Return edits over the length of the truth, where each read line is compared with the words in its box.

    The order of lines does not matter. Words in no box are missing, and count in full.
    """
    return located_edits(words, lines) / true_length(words) if words else float(bool(lines))


def edits(one: str, other: str) -> int:
    """Return the fewest insertions, deletions and replacements between two texts."""
    if rapid is not None:
        return int(rapid.distance(one, other))
    return _edits(one, other)


def _edits(one: str, other: str) -> int:
    """Compute it row by row; insertions within a row run as a minimum over all that is before."""
    if len(one) < len(other):
        one, other = other, one
    codes = _codes(other)
    steps = np.arange(len(other) + 1, dtype=np.int32)
    row = steps.copy()
    for number, letter in enumerate(_codes(one), 1):
        best = np.empty_like(row)
        best[0] = number
        np.minimum(row[:-1] + (codes != letter), row[1:] + 1, out=best[1:])
        row = np.minimum.accumulate(best - steps) + steps
    return int(row[-1])


def _codes(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)


def matched_places(truth: Sequence[str], read: Sequence[str]) -> list[int]:
    """Return, in the order of the truth, where its words are in the read text, for words that both have.

    Words are equal if their characters are, in NFC. First those are matched that occur once in both texts, alone or
    with the next one or two words. Each other one takes the free equal word that is nearest to where it is expected:
    as far from the nearest match as it is in the truth. Words close to a match choose first. (Without any match, they
    are expected at the same place.) Each read word is used once at most.
    """
    words, others = ([unicodedata.normalize("NFC", word) for word in text] for text in (truth, read))
    places = _sure_places(words, others)
    anchors = sorted(places)
    free: dict[str, list[int]] = defaultdict(list)
    used = set(places.values())
    for place, word in enumerate(others):
        if place not in used:
            free[word].append(place)
    waiting = []
    for number in range(len(words)):
        if number not in places and words[number] in free:
            anchor = _nearest(anchors, number)
            expected = number if anchor is None else places[anchor] + number - anchor
            waiting.append((0 if anchor is None else abs(number - anchor), number, expected))
    for _, number, expected in sorted(waiting):
        if free[words[number]]:
            places[number] = _take_nearest(free[words[number]], expected)
    return [places[number] for number in sorted(places)]


def _sure_places(words: list[str], others: list[str]) -> dict[int, int]:
    """Return the places of what occurs once in both texts: words, and then two or three words in a row."""
    places: dict[int, int] = {}
    used: set[int] = set()
    for length in (1, 2, 3):
        known = _once(others, length)
        for run, number in _once(words, length).items():
            for step in range(length if run in known else 0):
                place = known[run] + step
                if number + step not in places and place not in used:
                    places[number + step] = place
                    used.add(place)
    return places


def _once(words: list[str], length: int) -> dict[tuple[str, ...], int]:
    """Return where each run of words begins that occurs once."""
    runs = list(zip(*(words[start:] for start in range(length)), strict=False))
    counts = Counter(runs)
    return {run: number for number, run in enumerate(runs) if counts[run] == 1}


def _nearest(numbers: list[int], wanted: int) -> int | None:
    at = bisect_left(numbers, wanted)
    return min(numbers[max(0, at - 1) : at + 1], key=lambda number: abs(number - wanted), default=None)


def _take_nearest(places: list[int], expected: int) -> int:
    at = bisect_left(places, expected)
    if at == len(places) or (at > 0 and expected - places[at - 1] <= places[at] - expected):
        at -= 1
    return places.pop(at)


def kendall_tau(truth: Sequence[str], read: Sequence[str]) -> float:
    """Return Kendall's tau over the words that both have: 1 for the same order, -1 for the reverse.

    With fewer than two such words there is no order to be wrong: 1 if the truth has fewer than two itself, else 0.
    """
    places = matched_places(truth, read)
    pairs = len(places) * (len(places) - 1) // 2
    if not pairs:
        return float(len(truth) < 2)
    return 1 - 2 * inversions(places) / pairs


def inversions(numbers: Sequence[int]) -> int:
    """Count the pairs in the wrong order, by merging, in O(n log n)."""
    return _sorted_inversions(list(numbers))[1]


def _sorted_inversions(numbers: list[int]) -> tuple[list[int], int]:
    if len(numbers) < 2:
        return numbers, 0
    middle = len(numbers) // 2
    left, count_left = _sorted_inversions(numbers[:middle])
    right, count_right = _sorted_inversions(numbers[middle:])
    merged: list[int] = []
    count, at = count_left + count_right, 0
    for number in right:
        while at < len(left) and left[at] <= number:
            merged.append(left[at])
            at += 1
        count += len(left) - at
        merged.append(number)
    return merged + left[at:], count


def calibration_error(confidences: Sequence[float], right: Sequence[float], bins: int = 10) -> float:
    """Return the expected calibration error: the mean of |confidence - share right| over bins of equal width.

    Bins weigh as much as they have members. `right` holds 0 or 1, or a share between them. Empty input has no error.
    """
    if len(confidences) == 0:
        return 0.0
    sure, truth = np.asarray(confidences, float), np.asarray(right, float)
    bin_of = np.minimum((sure * bins).astype(int), bins - 1)
    gaps = np.bincount(bin_of, weights=sure - truth, minlength=bins)
    return float(np.abs(gaps).sum() / len(sure))
