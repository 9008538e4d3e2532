"""When the duties of the scheduler are due: all at once in the beginning, and never again."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(slots=True)
class _Duty:
    every_s: float
    begin: Callable[[], None]
    place: float
    due_s: float = float("-inf")


class Duties:
    """Each has a place of its own in its interval.

    A duty takes a thread and often a new connection: twenty that are due in the same moment of each minute would
    have the processors to themselves for it.
    """

    def __init__(self, duties: Iterable[tuple[float, Callable[[], None]]]) -> None:
        """How many seconds from one beginning to the next, and what begins it."""
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
    """The next of the moments that lie `every_s` apart; `place` from 0 to 1 says where."""
    return now_s + every_s - (now_s - place * every_s) % every_s
