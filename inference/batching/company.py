"""Prediction of the next arrivals: callers that were just answered and usually send the next request at once."""

from collections.abc import Hashable
from dataclasses import dataclass

LEARN = 0.3
GAP_SHARE = 0.5
"""The share of the hold time after which a batch is no longer held back if no further piece has arrived."""


@dataclass(slots=True)
class Company:
    """Statistics of how many rows arrive shortly after the end of a run, for the group of pieces that was run."""

    usual_share: float = 0.0
    """The usual number of these rows in relation to the rows of the run, at most 1."""
    ran_rows: int = 0
    came_rows: int = 0
    ended_s: float | None = None
    last_came_s: float = 0.0
    group: Hashable = None

    def arrived(self, group: Hashable, rows: int, now: float, within_s: float) -> None:
        """Count rows that a batch held back for up to `within_s` would have been joined by."""
        if self.ended_s is not None and group == self.group and now <= self.held_until_s(within_s):
            self.came_rows += rows
            self.last_came_s = now

    def held_until_s(self, longest_s: float) -> float:
        """Return the time until which a batch is held back: until nobody has followed for a while."""
        assert self.ended_s is not None
        return min(self.ended_s + longest_s, self.last_came_s + GAP_SHARE * longest_s)

    def run_ended(self, group: Hashable, rows: int, now: float) -> None:
        if self.ended_s is not None and group == self.group:
            self.usual_share += LEARN * (min(1.0, self.came_rows / self.ran_rows) - self.usual_share)
        else:
            self.usual_share = 0.0
        self.group, self.ran_rows, self.came_rows = group, rows, 0
        self.ended_s = self.last_came_s = now

    def answered(self, now: float) -> None:
        """Record that the last caller of the run has its answer. The time for new arrivals counts from here."""
        self.ended_s = self.last_came_s = now

    def missing(self, group: Hashable) -> float:
        """Return how many rows usually arrive in that time and have not arrived yet."""
        expected = self.usual_share * self.ran_rows
        return expected - self.came_rows if self.ended_s is not None and group == self.group else 0.0
