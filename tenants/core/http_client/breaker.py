"""Whether to ask an endpoint that has failed some times in a row: only now and then, and one at a time."""

from dataclasses import dataclass

MOST_FAILURES = 5
FIRST_REST_S = 30.0
LONGEST_REST_S = 600.0
PROBE_S = 60.0
"""After which a probe that nobody has told the end of is taken for lost."""


@dataclass(frozen=True, slots=True)
class Circuit:
    """Closed until MOST_FAILURES in a row; then it rests, one probes, and what became of that decides."""

    failures: int = 0
    """In a row."""
    rests_until_s: float = 0.0
    probing: bool = False
    """One has been let through since it opened."""

    @property
    def is_open(self) -> bool:
        return self.failures >= MOST_FAILURES

    def lets_through(self, now_s: float) -> bool:
        return not self.is_open or now_s >= self.rests_until_s

    def asked(self, now_s: float) -> "Circuit":
        """Of an open one the caller is the probe, and the others go on resting."""
        return Circuit(self.failures, now_s + PROBE_S, probing=True) if self.is_open else self

    def succeeded(self) -> "Circuit":
        return Circuit()

    def failed(self, now_s: float) -> "Circuit":
        """Of many that were under way when it opened, those that fail afterwards lengthen nothing."""
        if self.is_open and not self.probing:
            return self
        failures = self.failures + 1
        beyond = min(failures - MOST_FAILURES, 10)
        if beyond < 0:
            return Circuit(failures)
        return Circuit(failures, now_s + min(LONGEST_REST_S, FIRST_REST_S * 2.0**beyond))
