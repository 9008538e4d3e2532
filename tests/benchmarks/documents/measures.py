"""Measure how far a read text is from the truth, how well its order is kept, and whether its confidence is honest."""

import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

try:
    from rapidfuzz.distance import Levenshtein as rapid
except ImportError:
    rapid = None


def folded(text: str) -> str:
    """Return the text in Unicode's composed form (NFC), with white space as single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def character_error_rate(truth: str, read: str) -> float:
    """Return edits over the length of the truth, both folded; with an empty truth, 0 if nothing was read, else 1."""
    truth, read = folded(truth), folded(read)
    if not truth:
        return float(bool(read))
    return edits(truth, read) / len(truth)


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

    Words are equal if they are equal characters in NFC. A word that occurs once in both is matched first. Words that occur
    more than once take, in the order of the truth, the free occurrence that is nearest to where the word is expected: at
    the place of the nearest earlier match in the truth, plus the distance from it. (Without one: at the same place.) Each
    occurrence is used once at most.
    """
    free: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(read):
        free[unicodedata.normalize("NFC", word)].append(place)
    words = [unicodedata.normalize("NFC", word) for word in truth]
    counts: dict[str, int] = defaultdict(int)
    for word in words:
        counts[word] += 1
    sure = {word: free.pop(word)[0] for word, count in counts.items() if count == 1 and len(free.get(word, ())) == 1}
    places: list[int] = []
    anchor, found = 0, 0
    for number, word in enumerate(words):
        expected = found + number - anchor
        if word in sure:
            place = sure[word]
        elif free.get(word):
            place = _take_nearest(free[word], expected)
        else:
            continue
        anchor, found = number, place
        places.append(place)
    return places


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
