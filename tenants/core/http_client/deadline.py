"""How long a request to the outside may still take, whatever the other side does."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from tenants.core.http_client.errors import EgressFailed


@dataclass(frozen=True, slots=True)
class Deadline:
    """An end that bytes which arrive do not move."""

    ends_at_s: float
    allowed_s: float
    clock: Callable[[], float] = monotonic

    @classmethod
    def within(cls, seconds: float, clock: Callable[[], float] = monotonic) -> "Deadline":
        return cls(clock() + seconds, seconds, clock)

    def left_s(self) -> float:
        """As a timeout of a socket, so never 0; EgressFailed when there is nothing left."""
        left = self.ends_at_s - self.clock()
        if left <= 0:
            raise EgressFailed("answer_timeout", f"It was not done within {self.allowed_s:g} seconds.")
        return left

    def sooner(self, seconds: float) -> "Deadline":
        """A part of it, which may have no more than `seconds`."""
        return Deadline(min(self.ends_at_s, self.clock() + seconds), seconds, self.clock)
