"""Let a worker's thread wait for requests, on one connection and with one free slot for a request."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

from inference.rpc.commands import Command
from inference.rpc.keys import held_key, lane_key, nudge_key
from inference.rpc.scripts import SERVE
from inference.rpc.wires import Popped, Wire, pop

WAIT_S = 1.0
TIMEOUT_S = 3.0
"""The timeout after which a Redis that does not answer counts as unavailable. It is longer than a wait."""
TELL_EVERY_S = 1.0
TOLD_MS = 5000
"""The time without a report after which a worker counts as gone. A model that no other worker serves must then be
loaded first.
"""

Lanes = Mapping[str, str]
"""The model keys by the lists on which to wait."""


class Seat:
    """A connection slot, used by one thread at a time. Answers can be sent together with the next wait."""

    def __init__(self, url: str, reader_id: str) -> None:
        self.nudge = nudge_key(reader_id)
        self.waiting = False
        """True if a wait has been sent whose result has yet to be read from this connection."""
        self._wire = Wire(url)
        self._lanes: Lanes = {}
        self._told_s = float("-inf")
        self._turn = 0

    def wait(self, lanes: Lanes, first: Sequence[Command] = ()) -> list[Any]:
        """Send the commands and begin to wait. Return the answers to the commands, including errors of Redis."""
        self.waiting = True
        self._lanes = lanes
        self._wire.say([*(command.spoken() for command in first), pop(self._keys(), WAIT_S)], TIMEOUT_S)
        return [self._wire.hear_answer(TIMEOUT_S) for _ in first]

    def come(self) -> tuple[str | None, bytes] | None:
        """Return the model key and what arrived, or None if nothing did. The key is None for a nudge."""
        popped = cast("Popped", self._wire.hear(TIMEOUT_S))
        self.waiting = False
        if popped is None:
            return None
        key, entry = popped
        return self._lanes.get(key.decode()), entry

    def is_told(self, lanes: Lanes) -> bool:
        """Return whether it has been reported that these queues are served, and which requests are held. This is
        reported once a second, and for new queues immediately.
        """
        return lanes is self._lanes and time.monotonic() - self._told_s < TELL_EVERY_S

    def tell(self, lanes: Lanes, in_hand: Sequence[str]) -> float:
        """Report the queues and the requests that are held. Return the server's time in milliseconds."""
        self._told_s = time.monotonic()
        keys = (*map(lane_key, lanes.values()), *map(held_key, in_hand))
        (now_ms,) = self._wire.run([Command(SERVE, keys, (len(lanes), TOLD_MS))])
        if isinstance(now_ms, Exception):
            raise now_ms
        return float(now_ms)

    def close(self) -> None:
        self.waiting = False
        self._told_s = float("-inf")
        self._wire.close()

    def _keys(self) -> list[str]:
        """Return the lists to wait on. Redis takes from the first list that has something, so each queue comes first in
        its turn.
        """
        keys = list(self._lanes)
        self._turn = (self._turn + 1) % max(1, len(keys))
        return [self.nudge, *keys[self._turn :], *keys[: self._turn]]
