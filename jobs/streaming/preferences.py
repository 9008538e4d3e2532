"""Reads the `Prefer` header (RFC 7240)."""

from collections.abc import Iterable

LONGEST_WAIT_S = 60


def wait_asked_s(prefer: Iterable[str]) -> int | None:
    """Return the seconds of `wait=N`, at most 60. Return None if no wait is requested or if the value is invalid.

    `respond-async` alone means: do not wait. Beside `wait=N` it means what this service does anyway: wait that long,
    then respond with 202.
    """
    for preference in ",".join(prefer).split(","):
        name, _, value = preference.split(";")[0].partition("=")
        if name.strip().lower() == "wait":
            number = value.strip().strip('"')
            # The first one of several counts, even if it is invalid.
            return min(int(number), LONGEST_WAIT_S) if number.isdecimal() and len(number) < 10 else None
    return None
