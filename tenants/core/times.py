"""The only format of times for programs, and the only format of days for people."""

from datetime import UTC, date, datetime

from django.utils.dateformat import format as formatted


def rfc3339(moment: datetime) -> str:
    """Return `2026-11-20T11:06:21.700217Z`, for example: always UTC, six digits of the second and `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def day_text(day: date) -> str:
    """Write a day of the calendar, which is the same in every zone: 27 Nov 2026."""
    return formatted(day, "j M Y")


def month_text(day: date) -> str:
    """Write the month of a day: Nov 2026."""
    return formatted(day, "M Y")
