"""A bucket that holds a minute's worth, fills evenly, and may owe: the same arithmetic as the script in Redis.

All of it is one number: when the bucket will be full. A changed limit keeps the part of it that is left.
"""

from dataclasses import dataclass

WINDOW_US = 60_000_000


def slack_us(limit: int) -> int:
    """What is taken is rounded up to a microsecond; this much of that, less than one is worth, is let pass again."""
    return min(limit, WINDOW_US // (2 * limit))


@dataclass(frozen=True, slots=True)
class Bucket:
    full_at_us: int = 0

    def available(self, limit: int, now_us: int) -> int:
        """Below zero where it owes."""
        room_us = now_us + WINDOW_US - max(self.full_at_us, now_us)
        return (room_us + slack_us(limit)) * limit // WINDOW_US

    def without(self, count: int, limit: int, now_us: int) -> "Bucket":
        """Whether or not there are so many: what is missing is owed."""
        return Bucket(max(self.full_at_us, now_us) + -(-count * WINDOW_US // limit))

    def without_at_most(self, count: int, limit: int, now_us: int) -> "Bucket":
        """So many of what there is; nothing is owed for the rest."""
        emptied_us = max(self.full_at_us, now_us + WINDOW_US)
        return Bucket(min(self.without(count, limit, now_us).full_at_us, emptied_us))

    def given_back(self, count: int, limit: int, now_us: int) -> "Bucket":
        return Bucket(max(now_us, self.full_at_us - count * WINDOW_US // limit))

    def wait_us(self, count: int, limit: int, now_us: int) -> int:
        """Until there are so many, or as many as it holds."""
        needed_us = -(-min(count, limit) * WINDOW_US // limit)
        return max(0, self.full_at_us - now_us - WINDOW_US + needed_us - slack_us(limit))

    def until_full_us(self, now_us: int) -> int:
        return max(0, self.full_at_us - now_us)
