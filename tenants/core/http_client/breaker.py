"""Decides whether to send to an endpoint that failed several times in a row: occasionally, and one at a time."""

from dataclasses import dataclass

MAX_FAILURES = 5
FIRST_REST_S = 30.0
LONGEST_REST_S = 600.0
PROBE_S = 60.0
"""The seconds after which a probe without a reported result counts as lost."""


@dataclass(frozen=True, slots=True)
class Circuit:
    """A circuit that opens after MAX_FAILURES in a row. After a pause the result of one probe decides."""

    failures: int = 0
    """The number of failures in a row."""
    paused_until_s: float = 0.0
    probing: bool = False
    """A flag that is true if a request has been let through since the circuit opened."""

    @property
    def is_open(self) -> bool:
        return self.failures >= MAX_FAILURES

    def lets_through(self, now_s: float) -> bool:
        return not self.is_open or now_s >= self.paused_until_s

    def after_request(self, now_s: float) -> "Circuit":
        """Return the circuit after it let a request through. If it is open, that is the probe, and a pause begins."""
        return Circuit(self.failures, now_s + PROBE_S, probing=True) if self.is_open else self

    def succeeded(self) -> "Circuit":
        return Circuit()

    def failed(self, now_s: float) -> "Circuit":
        """Return the circuit after a failure. Requests that ran when it opened do not lengthen the pause."""
        if self.is_open and not self.probing:
            return self
        failures = self.failures + 1
        beyond = min(failures - MAX_FAILURES, 10)
        if beyond < 0:
            return Circuit(failures)
        return Circuit(failures, now_s + min(LONGEST_REST_S, FIRST_REST_S * 2.0**beyond))
