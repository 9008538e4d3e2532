"""Prediction of the next arrivals: callers that were just answered and usually send the next request at once."""

from collections.abc import Hashable
from dataclasses import dataclass

LEARN = 0.3


@dataclass(slots=True)
class Company:
    """Statistics of how many rows arrive shortly after the end of a run, for the group of pieces that was run."""

    usual_rows: float = 0.0
    came_rows: int = 0
    ended_s: float | None = None
    last_came_s: float = 0.0
    group: Hashable = None

    def arrived(self, group: Hashable, rows: int, now: float, within_s: float) -> None:
        if self.ended_s is not None and group == self.group and now <= self.ended_s + within_s:
            self.came_rows += rows
            self.last_came_s = now

    def run_ended(self, group: Hashable, now: float) -> None:
        if self.ended_s is not None and group == self.group:
            self.usual_rows += LEARN * (self.came_rows - self.usual_rows)
        else:
            self.usual_rows = 0.0
        self.group, self.ended_s, self.last_came_s, self.came_rows = group, now, now, 0

    def answered(self, now: float) -> None:
        """Record that the last caller of the run has its answer. The time for new arrivals counts from here."""
        self.ended_s = self.last_came_s = now

    def missing(self, group: Hashable) -> float:
        """Return how many rows usually arrive in that time and have not arrived yet."""
        return self.usual_rows - self.came_rows if self.ended_s is not None and group == self.group else 0.0
