"""Whether workers have had time to renew their leases since the database was away; pure.

While nobody can write, leases end of workers that live. Taking their pages at once would cost each an attempt, and a
page must never fail because the operator's database stood still three times.
"""

from dataclasses import dataclass

GAP_S = 2.0
"""Between two answers to somebody who asks several times a second: longer is an outage, or this process stood still."""


@dataclass(slots=True)
class Outage:
    grace_s: float
    """In which each living worker has renewed its leases."""
    answered_s: float | None = None
    back_s: float = float("-inf")

    def answered(self, now_s: float) -> None:
        if self.answered_s is not None and now_s - self.answered_s > GAP_S:
            self.back_s = now_s
        self.answered_s = now_s

    def failed(self, now_s: float) -> None:
        """It answers, and did not take what was to be written."""
        self.back_s = now_s

    def is_over(self, now_s: float) -> bool:
        return now_s - self.back_s >= self.grace_s
