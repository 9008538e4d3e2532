"""Limits of how much may wait for a model and run at once. Operators edit them while the model serves."""

from dataclasses import dataclass, fields, replace
from enum import StrEnum

from tenants.core.messages import value_in_words

MAX_ROWS = 4096
MAX_PADDED = 2**31
MAX_WAITING = 65_536
MAX_WAIT_MS = 1000.0


class Sharing(StrEnum):
    """The rule for whether a run may hold the inputs of several callers."""

    PROVEN = "proven"
    """A run is shared if it is certain that this does not affect any answer."""
    TRIED = "tried"
    """A run is also shared if only trials, and not the graph's operators, show that no answer is affected."""
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class BatchLimits:
    max_rows: int = 64
    """The largest number of rows in a batch. A single piece with more rows still runs, alone."""
    max_padded: int | None = 16_384
    """The largest product of rows and longest length in a batch, or None if memory does not depend on it."""
    max_waiting: int = 4096
    """The number of rows that may wait in the queue. More are refused with `model_overloaded`. A tenant may take as
    many rows as it leaves to others: half of them if it is alone, a third each if there are two tenants.
    """
    max_wait_ms: float = 5.0
    """The longest time for which a batch is held back, if its fit says that this pays. The value 0 disables it."""
    sharing: Sharing = Sharing.PROVEN

    def __post_init__(self) -> None:
        _check_whole("max_rows", self.max_rows, MAX_ROWS)
        if self.max_padded is not None:
            _check_whole("max_padded", self.max_padded, MAX_PADDED)
        _check_whole("max_waiting", self.max_waiting, MAX_WAITING)
        if self.max_waiting < self.max_rows:
            raise ValueError(
                f"max_waiting is {self.max_waiting}, less than max_rows ({self.max_rows});"
                " a batch could never fill; raise max_waiting or lower max_rows"
            )
        if not _is_number(self.max_wait_ms) or not 0 <= self.max_wait_ms <= MAX_WAIT_MS:
            raise ValueError(
                f"max_wait_ms is {value_in_words(self.max_wait_ms)}; give milliseconds from 0 (never hold back) to "
                f"{MAX_WAIT_MS:g}"
            )

    def admits(self, rows: int, *, waiting: int, of_tenant: int) -> bool:
        """Return whether these rows may wait. The rule always leaves capacity for another tenant."""
        if waiting == 0:
            return rows <= self.max_waiting
        return of_tenant + rows <= self.max_waiting - waiting - rows


@dataclass(frozen=True, slots=True)
class LimitChanges:
    """An operator's changes to the limits. None leaves a limit as it is."""

    max_rows: int | None = None
    max_padded: int | None = None
    max_waiting: int | None = None
    max_wait_ms: float | None = None
    sharing: Sharing | None = None

    def over(self, own: BatchLimits) -> BatchLimits:
        """Apply the changes to a model's own limits. It raises ValueError if they do not fit together."""
        changed = {part.name: getattr(self, part.name) for part in fields(self)}
        return replace(own, **{name: given for name, given in changed.items() if given is not None})


def _check_whole(name: str, given: object, most: int) -> None:
    if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= most:
        raise ValueError(f"{name} is {value_in_words(given)}; give a whole number from 1 to {most}")


def _is_number(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool)
