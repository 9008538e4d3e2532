"""The rules that decide whether and when a request is sent again."""

from dataclasses import dataclass

from maas_client.errors import Conflict, ConnectionFailed, MaasError, RateLimited, Unavailable

FIRST_S, LONGEST_S = 0.5, 8.0
MAX_PATIENT_S = 60.0
"""The longest pause in seconds that a service may request for a retry. For a longer one, its error is raised."""
_PASSING = frozenset({502, 503, 504})
IN_PROGRESS = "request_in_progress"
"""The code of an earlier attempt that is still running after its answer was lost. A later retry gets its answer."""


@dataclass(frozen=True)
class Retries:
    most: int = 3

    def delay_s(self, tried: int, error: MaasError, *, jitter: float, left_s: float = 0.0) -> float | None:
        """Return the seconds to wait before the next attempt, or None to stop.

        `tried` is the number of retries that have failed (0: the first attempt). `jitter` is in 0..1. Attempts within
        `left_s` do not count.
        """
        spent = tried >= self.most and (left_s <= 0 or not self.most)
        if spent or not may_pass(error):
            return None
        asked_s = error.retry_after if isinstance(error, Conflict | RateLimited | Unavailable) else None
        if asked_s is not None:
            return asked_s * (1 + 0.25 * jitter) if asked_s <= MAX_PATIENT_S else None
        return backoff_s(tried, jitter)


def backoff_s(tried: int, jitter: float) -> float:
    """Return a pause that doubles each time.

    The result is between half of it and all of it, so that many clients do not come back at the same moment.
    """
    return min(LONGEST_S, FIRST_S * 2.0**tried) * (0.5 + 0.5 * jitter)


def may_pass(error: MaasError) -> bool:
    """Return whether a retry may succeed. A retry never acts twice, because each creating request carries a key."""
    if isinstance(error, ConnectionFailed | RateLimited):
        return True
    return error.status in _PASSING or error.code == IN_PROGRESS
