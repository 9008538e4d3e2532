"""Decides when a message is sent again or given up, and when an endpoint is paused or disabled."""

from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime

from tenants.core.http_client.breaker import FIRST_REST_S, LONGEST_REST_S, MAX_FAILURES

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
"""Seconds before each attempt, after the previous one. These are the example of the Standard Webhooks specification."""
JITTER = 0.1
"""The largest part of a delay that is added at random, so that messages that failed together are not sent again
together.
"""
LONGEST_RETRY_AFTER_S = 24 * HOUR_S
GIVEN_UP_AFTER_S = sum(DELAYS_S)
"""Seconds for which a message is tried, which is a little over three days."""
GIVEN_UP_FAILURES = 3 * len(DELAYS_S)
"""The number of failures in a row, over all messages, after which an endpoint may be given up. If an endpoint is paused
most of the time, few of its messages reach their last attempt.
"""
GONE = 410
TOO_MANY = 429


@dataclass(frozen=True)
class Verdict:
    """The decision about a delivery after an attempt."""

    delivered: bool = False
    again_in_s: float | None = None
    gone: bool = False
    """Set if the endpoint never wants a message again."""


def verdict(
    *,
    status: int | None,
    attempts: int,
    jitter: float,
    refused: bool = False,
    retry_after_s: float | None = None,
) -> Verdict:
    """Decide what follows the attempt. `attempts` includes the one just made. `jitter` is random, from 0 up to 1.
    `status` is None if there was no response.

    Only 2xx is a success. A redirect is not followed, and its target has received nothing.
    """
    if status is not None and 200 <= status < 300:
        return Verdict(delivered=True)
    if status == GONE:
        return Verdict(gone=True)
    if refused or attempts >= len(DELAYS_S):
        return Verdict()
    return Verdict(again_in_s=max(delay_s(attempts, jitter), min(retry_after_s or 0, LONGEST_RETRY_AFTER_S)))


def delay_s(attempts: int, jitter: float) -> float:
    """Return the delay before the next attempt, after that number of attempts."""
    return DELAYS_S[attempts] * (1 + JITTER * jitter)


def retry_after(header: str | None, now: datetime) -> float | None:
    """Return the seconds of a Retry-After header, in either of its forms, or None if it is invalid."""
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
    """Return whether an endpoint has failed for so long that it is disabled.

    It has accepted no message for `GIVEN_UP_AFTER_S`, the time in which all attempts of one message are made. In
    addition, either a message has failed at its last attempt, or there were `GIVEN_UP_FAILURES` failures. The number
    of failures alone does not decide, so an endpoint with many messages is not disabled earlier than one with few.
    """
    tried = given_up > 0 or failures >= GIVEN_UP_FAILURES
    return failing_for_s >= GIVEN_UP_AFTER_S and tried


def is_down(status: int | None) -> bool:
    """Return whether the endpoint's server is at fault and not the message. Any other message would fail as well."""
    return status is None or status >= 500 or status == TOO_MANY


def left_alone_s(status: int | None, retry_after_s: float | None) -> float:
    """Return the pause in seconds that an endpoint's server has requested with `Retry-After`, or 0."""
    return min(retry_after_s or 0.0, LONGEST_RETRY_AFTER_S) if status is not None and is_down(status) else 0.0


def rest_s(failures: int) -> float:
    """Return the pause in seconds after that number of failures in a row, or 0. After the pause, one message tests
    whether the endpoint works again.
    """
    beyond = min(failures - MAX_FAILURES, 10)
    return min(LONGEST_REST_S, FIRST_REST_S * 2.0**beyond) if beyond >= 0 else 0.0
