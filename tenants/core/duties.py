"""Work of an app that the scheduler repeats."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Duty:
    """A duty that runs `do` every `every_s` seconds, in a separate thread, on one scheduler at a time."""

    every_s: float
    do: Callable[[], object]
    waiting: str = "true"
    """An SQL condition that holds whenever there is something to do. The scheduler asks for those of all duties in one
    statement, and starts only what is needed: an idle product would else be busy with starting duties.
    """
