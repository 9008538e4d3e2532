"""Test the decision whether it is worthwhile to look in the cache."""

import random
from collections.abc import Callable

import pytest

from inference.cache.worth import ENOUGH, FEW, MAX_KNOWN, Worth

ONE = ("a", "model")


class Traffic:
    """Calls whose results are all stored forever if they may be stored."""

    def __init__(self, key_of: Callable[[int], bytes] = lambda name: random.Random(name).randbytes(16)) -> None:
        self._key_of = key_of
        self.worth: Worth[str] = Worth()
        self._kept: set[bytes] = set()
        self._chance = random.Random(1)

    def sends(self, calls: int, of: int | None) -> tuple[float, float]:
        """Send calls with random inputs out of `of` different ones, or with new inputs only. Return the shares that
        were looked up and found.
        """
        looked = found = 0
        for _ in range(calls):
            name = self._chance.randrange(of) if of else self._chance.getrandbits(100)
            key = self._key_of(name)
            if not self.worth.looks(ONE, key):
                continue
            looked += 1
            found += key in self._kept
            self.worth.count(ONE, looked=1, found=int(key in self._kept))
            self._kept.add(key)
        return looked / calls, found / calls


def test_who_never_sends_anything_twice_is_soon_hardly_looked_for() -> None:
    traffic = Traffic()
    assert traffic.sends(ENOUGH, None)[0] == 1.0
    assert traffic.sends(10_000, None)[0] == 0.0


def test_who_begins_to_repeat_is_looked_for_again() -> None:
    traffic = Traffic()
    traffic.sends(20_000, None)
    traffic.sends(5_000, 200)
    assert traffic.sends(2_000, 200) == (1.0, 1.0)


@pytest.mark.parametrize(("inputs", "calls"), [(1, 30), (8, 40), (64, 200), (1_000, 2_000), (30_000, 60_000)])
def test_inputs_that_repeat_are_soon_looked_for_again_however_many_there_are(inputs: int, calls: int) -> None:
    traffic = Traffic()
    traffic.sends(20_000, None)
    traffic.sends(calls, inputs)
    assert traffic.sends(100, inputs)[0] == 1.0


def test_a_few_repeats_in_a_hundred_are_enough_to_go_on() -> None:
    traffic = Traffic()
    for _ in range(100):
        traffic.sends(97, None)
        traffic.sends(3, 10)
    assert traffic.sends(100, None)[0] == 1.0


def test_each_is_judged_for_itself_and_not_too_many_are_remembered() -> None:
    worth: Worth[int] = Worth()
    key = b"\x01" * 16
    for _ in range(ENOUGH):
        worth.count((0, "a"), looked=1, found=0)
    assert (worth.looks((0, "a"), key), worth.looks((1, "a"), key)) == (False, True)
    for other in range(1, MAX_KNOWN + 1):
        worth.count((other, "a"), looked=1, found=1)
    assert worth.looks((0, "a"), key)


def test_a_new_caller_is_judged_sooner_if_looks_for_others_find_hardly_anything() -> None:
    worth: Worth[int] = Worth()
    key = b"\x01" * 16
    for _ in range(ENOUGH):
        worth.count((0, "a"), looked=1, found=0)
    for caller, model in ((1, "a"), (2, "b")):
        for _ in range(FEW):
            assert worth.looks((caller, model), key)
            worth.count((caller, model), looked=1, found=0)
    assert not worth.looks((1, "a"), key)
    assert worth.looks((2, "b"), key)
    for caller in range(3, 3 + 2 * ENOUGH):
        worth.count((caller, "a"), looked=1, found=1)
    for _ in range(FEW):
        worth.count((1000, "a"), looked=100, found=0)
    assert worth.looks((1000, "a"), key)
