"""Tells the workers that there is something to do for a batch. A word only: whoever misses it looks every second."""

from jobs.events.control import control_channel

BATCHES = "batches"


def ring() -> None:
    """Call after commit."""
    control_channel().tell(BATCHES)
