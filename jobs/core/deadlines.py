"""The time by which a job must be done, as its sender gives it."""

import re
from dataclasses import dataclass

LONGEST_S = 30 * 86_400
_SPAN = re.compile(r"(?P<count>[0-9]{1,9})(?P<unit>[smhd]?)")
_UNIT_S = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400}


@dataclass(frozen=True, slots=True)
class Deadlines:
    """The time limits of a job, in seconds from its acceptance. None means for ever."""

    expires_after_s: int | None = None
    """The time after which a job that is not done ends as expired."""
    cancel_after_s: int | None = None
    """The time after which a job that is not done ends as canceled."""

    @property
    def given(self) -> bool:
        return self.expires_after_s is not None or self.cancel_after_s is not None


FOR_EVER = Deadlines()


class NotASpan(ValueError):
    """The error for a text or number that is not a time span. The message says which forms are valid."""


def read_span(text: str) -> int:
    """Return the seconds of a text such as `90`, `90s`, `15m`, `2h` or `1d`."""
    found = _SPAN.fullmatch(text.strip().lower())
    if found is None:
        raise NotASpan(
            f"{text[:40]!r} is not a valid duration. Use seconds, or a number with s, m, h or d, such as 15m"
        )
    return checked_span(int(found["count"]) * _UNIT_S[found["unit"]])


def checked_span(seconds: int) -> int:
    if not 1 <= seconds <= LONGEST_S:
        raise NotASpan(f"{seconds} seconds is out of range. Use 1 to {LONGEST_S} (30 days)")
    return seconds
