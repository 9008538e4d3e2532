"""Decides whether workers have had time to renew their leases since the database was unavailable. This is pure code.

While nothing can be written, leases of living workers end. If their pages were taken at once, each would lose an
attempt, and a page must never fail because the operator's database was down three times.
"""

from dataclasses import dataclass

GAP_S = 2.0
"""The longest time between two answers to frequent requests. A longer gap is an outage, or this process was frozen."""


@dataclass(slots=True)
class Outage:
    grace_s: float
    """The time in which each living worker has renewed its leases."""
    answered_s: float | None = None
    back_s: float = float("-inf")

    def answered(self, now_s: float) -> None:
        if self.answered_s is not None and now_s - self.answered_s > GAP_S:
            self.back_s = now_s
        self.answered_s = now_s

    def failed(self, now_s: float) -> None:
        """Record that the database answered but did not accept a write."""
        self.back_s = now_s

    def is_over(self, now_s: float) -> bool:
        return now_s - self.back_s >= self.grace_s
