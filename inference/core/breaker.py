"""A circuit breaker: after some failures in a row, a server that does not answer is tried only now and then."""

from dataclasses import dataclass

MAX_FAILURES = 3
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 10.0


@dataclass(slots=True)
class Breaker:
    max_failures: int = MAX_FAILURES
    longest_pause_s: float = LONGEST_PAUSE_S
    failures: int = 0
    """The number of failures in a row."""
    open_until_s: float = 0.0
    trying: bool = False
    """Set if a request has been let through since the breaker opened."""

    @property
    def is_open(self) -> bool:
        return self.failures >= self.max_failures

    def asks(self, now_s: float) -> bool:
        """Return whether a request may be sent now. After a pause, one caller sends one and the others wait for it."""
        if not self.is_open:
            return True
        if now_s < self.open_until_s:
            return False
        self.trying = True
        self.open_until_s = now_s + FIRST_PAUSE_S
        return True

    def succeeded(self) -> bool:
        """Record a success. Return whether the server was away until now."""
        was_open = self.is_open
        self.failures = 0
        return was_open

    def failed(self, now_s: float) -> bool:
        """Record a failure; return whether it opened the breaker. Those sent before do not lengthen the pause."""
        if self.is_open and not self.trying:
            return False
        self.trying = False
        self.failures += 1
        beyond = self.failures - self.max_failures
        if beyond < 0:
            return False
        self.open_until_s = now_s + min(self.longest_pause_s, FIRST_PAUSE_S * 2.0 ** min(beyond, 10))
        return beyond == 0
