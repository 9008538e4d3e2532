"""Define what a process requests from Redis for one limit, what it receives, and what it may decide in the meantime."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal, Protocol

from tenants.limits.rates.limits import Limit


class Verdict(Enum):
    YES = "yes"
    NO = "no"
    ASK = "ask"
    """Redis must be asked first."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A request to Redis for one limit. The fields are in the order in which the script reads them."""

    what: Literal["rate", "slots"]
    limit: int
    need: int = 0
    want: int = 0
    back: int = 0
    """The amount that is given back. For slots, it is the number in use."""
    debit: int = 0
    """The amount that was used, whether or not so much was left. The missing part becomes a debt."""
    soft: int = 0
    """The amount that was used while Redis could not be asked. It is taken only from what is left."""


@dataclass(frozen=True, slots=True)
class Heard:
    granted: int
    rest: int
    """For a rate, the microseconds until it is full. For slots, the number that other processes hold."""


class Gate(Protocol):
    """A process's share of one limit. Times are seconds of a clock that never goes back."""

    limit: Limit
    waiting: int
    """The number of callers who wait for Redis."""

    def look(self, now_s: float) -> Verdict: ...

    def take(self, now_s: float) -> bool:
        """Take one, at the same moment as a look that said yes. Return whether Redis should be asked for more."""

    def look_alone(self, now_s: float) -> Verdict:
        """Decide yes or no by what this process alone knows, when Redis does not answer."""

    def take_alone(self, now_s: float) -> None:
        """Take one, at the same moment as a look alone that said yes."""

    def change(self, limit: Limit) -> None: ...

    def ask(self, now_s: float) -> Ask: ...

    def hear(self, heard: Heard, now_s: float) -> None: ...

    def lose(self, now_s: float) -> None:
        """Note that no answer was received. Redis may have carried out the request all the same."""

    def is_due(self, now_s: float) -> bool:
        """Return whether something should be sent to Redis although no caller waits."""

    def is_idle(self, now_s: float) -> bool:
        """Return whether this object can be forgotten without losing anything."""

    def retire(self) -> None:
        """Make the next request to Redis give back everything that is held."""

    def wait_s(self, now_s: float) -> float:
        """Return the time until the next one may come, as far as it is known."""

    def left(self, now_s: float) -> int: ...

    def full_in_s(self, now_s: float) -> float: ...
