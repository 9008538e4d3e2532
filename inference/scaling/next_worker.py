"""The next worker of a pool that has none, and the time at which a caller who found none should come again."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

UNKNOWN_S = 60
"""The pause of a caller if nobody knows when there will be a worker."""
OVERDUE_S = 5
"""The pause of a caller if the worker should be there already."""
RETURN_WITHIN_S = 120.0
"""The seconds after the promised time within which a caller may come again."""


@dataclass(frozen=True, slots=True)
class NextWorker:
    """The next worker of a pool that has none."""

    left_s: float | None
    """The seconds until it takes work. None if no worker is expected."""
    is_known: bool = True
    """False if no scheduler has decided lately."""

    @property
    def retry_after_s(self) -> int:
        return UNKNOWN_S if self.left_s is None else max(OVERDUE_S, ceil(self.left_s))

    @property
    def message(self) -> str:
        if not self.is_known:
            return f"No worker serves this model now. Try again in {UNKNOWN_S} s."
        if self.left_s is None:
            return "No worker serves this model now, and none is known to be starting. Try again later."
        if self.left_s <= 0:
            return "No worker serves this model now. One is being started and is late. Try again in a moment."
        return (
            f"No worker serves this model now. One is being started, and should be ready in {self.retry_after_s} s."
            " Try again then."
        )


NOT_KNOWN = NextWorker(None, is_known=False)


def next_worker(*, follows: bool, wanted: int, due_in_s: Sequence[float], lead_s: float, age_s: float) -> NextWorker:
    """Return when a pool without workers will have one, by what was decided on it `age_s` ago.

    If the cluster follows the decisions, the caller's request orders a worker, so the whole lead is left. Workers that
    were ordered and are not due any more have not come for so long that nobody counts on them.
    """
    if due_in_s:
        return NextWorker(max(0.0, min(due_in_s) - max(0.0, age_s)))
    return NextWorker(lead_s if follows and not wanted else None)


def is_expected_back(*, sent_away_s: float, at_s: float, lead_s: float) -> bool:
    """Return whether callers that were sent away from a pool without workers may still come again."""
    return at_s - sent_away_s <= lead_s + RETURN_WITHIN_S
