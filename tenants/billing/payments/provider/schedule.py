"""When what is not done is tried or looked at again: pure."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

AFTER_DAYS = (1, 3, 5, 7)
"""After the first time that a saved card was refused; then no more, until another is saved."""
ASKED_AGAIN_WITHIN = timedelta(hours=23)
"""Providers know a request again for a day: one that is older is looked for, and never sent a second time."""
CHECKOUT_LASTS = timedelta(hours=2)
LOOK_AFTER = timedelta(minutes=5)
LOOK_EVERY = timedelta(minutes=15)
PAGE_LOOKS_EVERY = timedelta(seconds=15)
_AT_ONCE = datetime.min.replace(tzinfo=UTC)


def next_try(refused: Sequence[datetime]) -> datetime | None:
    """Of an invoice, by when its card was refused, oldest first. None: never again."""
    if not refused:
        return _AT_ONCE
    if len(refused) > len(AFTER_DAYS):
        return None
    return refused[0] + timedelta(days=AFTER_DAYS[len(refused) - 1])


def may_ask_again(asked_at: datetime | None, now: datetime) -> bool:
    return asked_at is None or now - asked_at < ASKED_AGAIN_WITHIN
