"""What a `Prefer` header asks for (RFC 7240)."""

from collections.abc import Iterable

LONGEST_WAIT_S = 60


def wait_asked_s(prefer: Iterable[str]) -> int | None:
    """Seconds of `wait=N`, at most 60; None when no wait is asked for or what is asked makes no sense.

    `respond-async` alone means: do not wait. Beside `wait=N` it means what we do anyway: wait so long, then 202.
    """
    for preference in ",".join(prefer).split(","):
        name, _, value = preference.split(";")[0].partition("=")
        if name.strip().lower() == "wait":
            number = value.strip().strip('"')
            # The first of several counts, even when it is nonsense.
            return min(int(number), LONGEST_WAIT_S) if number.isdecimal() and len(number) < 10 else None
    return None
