"""How much may wait for a model, and how much of it may run at once; operators edit this while it serves."""

from dataclasses import dataclass, fields, replace
from enum import StrEnum

from tenants.core.messages import value_in_words

MOST_ROWS = 4096
MOST_PADDED = 2**31
MOST_WAITING = 65_536
MOST_WAIT_MS = 1000.0


class Sharing(StrEnum):
    """Whether one run may hold what several callers have sent."""

    PROVEN = "proven"
    """Where it is certain that no answer shows it."""
    TRIED = "tried"
    """Also where only trials say so, and the graph's operators do not prove it for all values."""
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class BatchLimits:
    max_rows: int = 64
    """A single piece of more rows still runs, alone."""
    max_padded: int | None = 16_384
    """Rows times the longest length (tokens, or pixels of width) in one batch; None where memory does not follow it."""
    max_waiting: int = 4096
    """Rows in the queue; what is beyond is refused with `model_overloaded`. One tenant may take as many as it leaves
    to others: half of them when alone, a third each when there are two."""
    max_wait_ms: float = 5.0
    """A batch may be held back for company this long at most, and only where its fit says that it pays; 0: never."""
    sharing: Sharing = Sharing.PROVEN

    def __post_init__(self) -> None:
        _check_whole("max_rows", self.max_rows, MOST_ROWS)
        if self.max_padded is not None:
            _check_whole("max_padded", self.max_padded, MOST_PADDED)
        _check_whole("max_waiting", self.max_waiting, MOST_WAITING)
        if self.max_waiting < self.max_rows:
            raise ValueError(
                f"max_waiting is {self.max_waiting}, less than max_rows ({self.max_rows});"
                " a batch could never fill; raise max_waiting or lower max_rows"
            )
        if not _is_number(self.max_wait_ms) or not 0 <= self.max_wait_ms <= MOST_WAIT_MS:
            raise ValueError(
                f"max_wait_ms is {value_in_words(self.max_wait_ms)}; give milliseconds from 0 (never hold back) to "
                f"{MOST_WAIT_MS:g}"
            )

    def admits(self, rows: int, *, waiting: int, of_tenant: int) -> bool:
        """Whatever one tenant does, another finds room."""
        if waiting == 0:
            return rows <= self.max_waiting
        return of_tenant + rows <= self.max_waiting - waiting - rows


@dataclass(frozen=True, slots=True)
class LimitChanges:
    """What an operator wants otherwise; None leaves a limit as it is."""

    max_rows: int | None = None
    max_padded: int | None = None
    max_waiting: int | None = None
    max_wait_ms: float | None = None
    sharing: Sharing | None = None

    def over(self, own: BatchLimits) -> BatchLimits:
        """Raises ValueError where the two do not go together."""
        changed = {part.name: getattr(self, part.name) for part in fields(self)}
        return replace(own, **{name: given for name, given in changed.items() if given is not None})


def _check_whole(name: str, given: object, most: int) -> None:
    if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= most:
        raise ValueError(f"{name} is {value_in_words(given)}; give a whole number from 1 to {most}")


def _is_number(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool)
