"""Notifies the workers that there is something to do for a batch. This is only a hint: a worker that misses it looks
every second.
"""

from jobs.events.changes import control_channel

BATCHES = "batches"


def ring() -> None:
    """Send the notification. Call this after commit."""
    control_channel().tell(BATCHES)
