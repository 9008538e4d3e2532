"""What a process asks of Redis for one limit, what it hears, and what it may answer a caller meanwhile."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal, Protocol

from tenants.limits.rates.limits import Limit


class Verdict(Enum):
    YES = "yes"
    NO = "no"
    ASK = "ask"
    """Redis has to be asked first."""


@dataclass(frozen=True, slots=True)
class Ask:
    """In the order in which the script reads it."""

    what: Literal["rate", "slots"]
    limit: int
    need: int = 0
    want: int = 0
    back: int = 0
    """Given back; of slots, those in use."""
    debit: int = 0
    """Used, whether or not there is so much: what is missing is owed."""
    soft: int = 0
    """Used while nobody could be asked: taken of what there is."""


@dataclass(frozen=True, slots=True)
class Heard:
    granted: int
    rest: int
    """Of a rate: microseconds until it is full. Of slots: how many others have."""


class Gate(Protocol):
    """Its share of one limit in one process. Times are seconds of a clock that never goes back."""

    limit: Limit
    waiting: int
    """Callers who wait for Redis."""

    def look(self, now_s: float) -> Verdict: ...

    def take(self, now_s: float) -> bool:
        """After a look that said yes, at the same moment. Whether Redis should be asked for more."""

    def look_alone(self, now_s: float) -> Verdict:
        """Where Redis does not answer: yes or no, by what this process alone knows."""

    def take_alone(self, now_s: float) -> None:
        """After a look alone that said yes, at the same moment."""

    def change(self, limit: Limit) -> None: ...

    def ask(self, now_s: float) -> Ask: ...

    def hear(self, heard: Heard, now_s: float) -> None: ...

    def lose(self, now_s: float) -> None:
        """Nothing was heard; it may have been done all the same."""

    def is_due(self, now_s: float) -> bool:
        """Whether Redis should be told something though nobody waits."""

    def is_idle(self, now_s: float) -> bool:
        """Whether nothing is lost where this is forgotten."""

    def retire(self) -> None:
        """The next ask gives back whatever is held."""

    def wait_s(self, now_s: float) -> float:
        """Until the next one may come, as far as is known."""

    def left(self, now_s: float) -> int: ...

    def full_in_s(self, now_s: float) -> float: ...
