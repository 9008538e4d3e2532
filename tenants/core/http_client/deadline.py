"""The time that an outgoing request may still take, whatever the other side does."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from tenants.core.http_client.errors import EgressFailed


@dataclass(frozen=True, slots=True)
class Deadline:
    """A deadline that arriving bytes do not extend."""

    ends_at_s: float
    allowed_s: float
    clock: Callable[[], float] = monotonic

    @classmethod
    def within(cls, seconds: float, clock: Callable[[], float] = monotonic) -> "Deadline":
        return cls(clock() + seconds, seconds, clock)

    def left_s(self) -> float:
        """Return the seconds that are left, as a socket's timeout, so never 0. Raises EgressFailed at the end."""
        left = self.ends_at_s - self.clock()
        if left <= 0:
            raise EgressFailed("answer_timeout", f"The request took longer than {self.allowed_s:g} seconds.")
        return left

    def sooner(self, seconds: float) -> "Deadline":
        """Return a deadline within this one, of at most `seconds` from now."""
        return Deadline(min(self.ends_at_s, self.clock() + seconds), seconds, self.clock)
