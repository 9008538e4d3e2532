"""Decides when the duties of the scheduler are due: all at once at the start, and spread out from then on."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(slots=True)
class _Duty:
    every_s: float
    begin: Callable[[], None]
    place: float
    due_s: float = float("-inf")


class Duties:
    """The duties, each with its own position in its interval.

    A duty needs a thread and often a new connection. If twenty duties were due at the same moment of each minute, they
    would occupy the processors at that moment.
    """

    def __init__(self, duties: Iterable[tuple[float, Callable[[], None]]]) -> None:
        """Take for each duty the seconds from one start to the next, and the function that starts it."""
        many = list(duties)
        self._duties = [
            _Duty(every_s, begin, number / len(many)) for number, (every_s, begin) in enumerate(many)
        ]

    def begin_due(self, now_s: float) -> None:
        for duty in self._duties:
            if now_s >= duty.due_s:
                duty.due_s = next_due_s(now_s, duty.every_s, duty.place)
                duty.begin()


def next_due_s(now_s: float, every_s: float, place: float) -> float:
    """Return the next of the moments that are `every_s` apart. `place`, from 0 to 1, is their position in the
    interval.
    """
    return now_s + every_s - (now_s - place * every_s) % every_s
