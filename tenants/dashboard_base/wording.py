"""The format of times and numbers on pages about keys, usage and requests."""

from datetime import datetime

from tenants.core.durations import DAY_S, HOUR_S, MINUTE_S, age


def ago(moment: datetime | None, now: datetime, *, never: str = "never") -> str:
    if moment is None:
        return never
    seconds = (now - moment).total_seconds()
    return "just now" if seconds < MINUTE_S else f"{age(seconds)} ago"


def until(moment: datetime, now: datetime) -> str:
    """Describe the time until a moment, rounded up: a day that has just begun to run out is still 24 hours."""
    seconds = (moment - now).total_seconds()
    unit_s = MINUTE_S if seconds < HOUR_S else HOUR_S if seconds < 2 * DAY_S else DAY_S
    return f"in {age(-(-seconds // unit_s) * unit_s)}"


def whole(number: int) -> str:
    return f"{number:,}"
