"""Whether a request is sent again, and after how long."""

from dataclasses import dataclass

from maas_client.errors import Conflict, ConnectionFailed, MaasError, RateLimited, Unavailable

FIRST_S, LONGEST_S = 0.5, 8.0
MOST_PATIENT_S = 60.0
"""A service that asks for a longer pause is not waited for: its error says how long."""
_PASSING = frozenset({502, 503, 504})
IN_PROGRESS = "request_in_progress"
"""An earlier attempt, whose answer was lost, is still at work: asked again later, its answer is given."""


@dataclass(frozen=True)
class Retries:
    most: int = 3

    def delay_s(self, tried: int, error: MaasError, *, jitter: float, left_s: float = 0.0) -> float | None:
        """After the `tried`-th retry failed too (0: the first attempt); None to give up. `jitter` is in 0..1.

        Within `left_s`, attempts are not counted.
        """
        spent = tried >= self.most and (left_s <= 0 or not self.most)
        if spent or not may_pass(error):
            return None
        asked_s = error.retry_after if isinstance(error, Conflict | RateLimited | Unavailable) else None
        if asked_s is not None:
            return asked_s * (1 + 0.25 * jitter) if asked_s <= MOST_PATIENT_S else None
        return backoff_s(tried, jitter)


def backoff_s(tried: int, jitter: float) -> float:
    """Twice as long each time; between half of that and all of it, so that many do not come back at once."""
    return min(LONGEST_S, FIRST_S * 2.0**tried) * (0.5 + 0.5 * jitter)


def may_pass(error: MaasError) -> bool:
    """Nothing that is sent twice does more than once: what makes something carries a key."""
    if isinstance(error, ConnectionFailed | RateLimited):
        return True
    return error.status in _PASSING or error.code == IN_PROGRESS
