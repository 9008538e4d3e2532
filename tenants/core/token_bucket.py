"""A bucket that holds the amount of one minute, fills evenly, and may be in debt, as in the Redis script.

It is one number: when it will be full. If the limit changes, the share that is left stays the same.
"""

from dataclasses import dataclass

WINDOW_US = 60_000_000


def slack_us(limit: int) -> int:
    """Return the slack: the rounding up to microseconds, less than one unit is worth, that is ignored."""
    return min(limit, WINDOW_US // (2 * limit))


@dataclass(frozen=True, slots=True)
class Bucket:
    full_at_us: int = 0

    def available(self, limit: int, now_us: int) -> int:
        """Return the available amount. It is negative if the bucket is in debt."""
        room_us = now_us + WINDOW_US - max(self.full_at_us, now_us)
        return (room_us + slack_us(limit)) * limit // WINDOW_US

    def without(self, count: int, limit: int, now_us: int) -> "Bucket":
        """Take an amount even if there is not enough. The missing part becomes debt."""
        return Bucket(max(self.full_at_us, now_us) + -(-count * WINDOW_US // limit))

    def without_at_most(self, count: int, limit: int, now_us: int) -> "Bucket":
        """Take an amount up to what is available. The rest does not become debt."""
        emptied_us = max(self.full_at_us, now_us + WINDOW_US)
        return Bucket(min(self.without(count, limit, now_us).full_at_us, emptied_us))

    def given_back(self, count: int, limit: int, now_us: int) -> "Bucket":
        return Bucket(max(now_us, self.full_at_us - count * WINDOW_US // limit))

    def wait_us(self, count: int, limit: int, now_us: int) -> int:
        """Return the time until the amount is available, or until the bucket is full if it holds less."""
        needed_us = -(-min(count, limit) * WINDOW_US // limit)
        return max(0, self.full_at_us - now_us - WINDOW_US + needed_us - slack_us(limit))
