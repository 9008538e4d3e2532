"""The times at which unfinished payments are tried or checked again. Pure."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

AFTER_DAYS = (1, 3, 5, 7)
"""Days from the first refusal of a saved card to each new try. Afterwards, only another saved card is tried."""
ASKED_AGAIN_WITHIN = timedelta(hours=23)
"""The time in which a request may be repeated: providers recognize a repeated one for a day. Later it is looked up."""
CHECKOUT_LASTS = timedelta(hours=2)
LOOK_AFTER = timedelta(minutes=5)
LOOK_EVERY = timedelta(minutes=15)
PAGE_LOOKS_EVERY = timedelta(seconds=15)
_AT_ONCE = datetime.min.replace(tzinfo=UTC)


def next_try(refused: Sequence[datetime]) -> datetime | None:
    """Return the time of the next try, or None for no further one. `refused` holds past refusals, oldest first."""
    if not refused:
        return _AT_ONCE
    if len(refused) > len(AFTER_DAYS):
        return None
    return refused[0] + timedelta(days=AFTER_DAYS[len(refused) - 1])


def may_ask_again(requested_at: datetime | None, now: datetime) -> bool:
    return requested_at is None or now - requested_at < ASKED_AGAIN_WITHIN
