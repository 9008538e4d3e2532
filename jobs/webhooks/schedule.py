"""When a message is sent again, when it is given up, and when an endpoint is left alone, or given up."""

from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from tenants.core.http_client.breaker import FIRST_REST_S, LONGEST_REST_S, MOST_FAILURES

MINUTE_S, HOUR_S, DAY_S = 60, 3600, 86_400
DELAYS_S = (
    0,
    5,
    5 * MINUTE_S,
    30 * MINUTE_S,
    2 * HOUR_S,
    5 * HOUR_S,
    10 * HOUR_S,
    14 * HOUR_S,
    20 * HOUR_S,
    24 * HOUR_S,
)
"""Before each attempt, after the one before it: the example of the Standard Webhooks specification."""
JITTER = 0.1
"""Of a delay, added at most: what failed together is not sent again together."""
LONGEST_RETRY_AFTER_S = 24 * HOUR_S
GIVEN_UP_AFTER_S = sum(DELAYS_S)
"""Three days and a bit: what a message is tried for."""
GIVEN_UP_FAILURES = 3 * len(DELAYS_S)
"""In a row, over whichever messages: of an endpoint that rests most of the time few come to their last attempt."""
GONE = 410
TOO_MANY = 429


@dataclass(frozen=True)
class Verdict:
    """What becomes of a delivery after an attempt."""

    delivered: bool = False
    again_in_s: float | None = None
    gone: bool = False
    """The endpoint wants nothing more, ever."""


def verdict(
    *,
    status: int | None,
    attempts: int,
    jitter: float,
    refused: bool = False,
    retry_after_s: float | None = None,
) -> Verdict:
    """`attempts` counts the one just made. `jitter` is random, from 0 up to 1. `status` is None without an answer.

    Only 2xx is success: a redirect is not followed, and what it leads to has received nothing.
    """
    if status is not None and 200 <= status < 300:
        return Verdict(delivered=True)
    if status == GONE:
        return Verdict(gone=True)
    if refused or attempts >= len(DELAYS_S):
        return Verdict()
    return Verdict(again_in_s=max(delay_s(attempts, jitter), min(retry_after_s or 0, LONGEST_RETRY_AFTER_S)))


def delay_s(attempts: int, jitter: float) -> float:
    """Before the next one, when so many have been made."""
    return DELAYS_S[attempts] * (1 + JITTER * jitter)


def retry_after(header: str | None, now: datetime) -> float | None:
    """Seconds of a Retry-After, in either of its forms; None where it makes no sense."""
    if header is None:
        return None
    if header.isascii() and header.isdecimal():
        return float(header[:9])
    try:
        moment = parsedate_to_datetime(header)
        return max(0.0, (moment - now).total_seconds())
    except (ValueError, TypeError, OverflowError):
        return None


def lasting_failure(*, failing_for_s: float, given_up: int, failures: int = 0) -> bool:
    """Nothing was taken for as long as a message is tried, and one was to the last attempt, or as often in all.

    An endpoint that is told little is told of as soon as one that is told much.
    """
    tried = given_up > 0 or failures >= GIVEN_UP_FAILURES
    return failing_for_s >= GIVEN_UP_AFTER_S and tried


def is_down(status: int | None) -> bool:
    """Whether the server behind an endpoint is at fault, not what it was sent: no other message fares better."""
    return status is None or status >= 500 or status == TOO_MANY


def left_alone_s(status: int | None, retry_after_s: float | None) -> float:
    """For how long nothing is sent to an endpoint whose server has asked for that."""
    return min(retry_after_s or 0.0, LONGEST_RETRY_AFTER_S) if status is not None and is_down(status) else 0.0


def rest_s(failures: int) -> float:
    """For so many in a row, nothing is sent to it for so long; then one message probes."""
    beyond = min(failures - MOST_FAILURES, 10)
    return min(LONGEST_REST_S, FIRST_REST_S * 2.0**beyond) if beyond >= 0 else 0.0
