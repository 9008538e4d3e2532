"""What an app has the scheduler do again and again."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Duty:
    """Run `do` every so many seconds, in a thread of its own, at one scheduler at a time."""

    every_s: float
    do: Callable[[], object]
