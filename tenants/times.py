"""The one form in which programs are told a time: RFC 3339 in UTC, with six digits of the second and `Z`."""

from datetime import UTC, datetime


def rfc3339(moment: datetime) -> str:
    """Return `2026-11-20T11:06:21.700217Z`, for example."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
