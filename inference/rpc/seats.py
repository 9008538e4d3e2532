"""Where a worker's thread waits for requests: one connection, and room for one request kept free."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

from inference.rpc.commands import Command
from inference.rpc.keys import held_key, lane_key, nudge_key
from inference.rpc.scripts import SERVE
from inference.rpc.wires import Popped, Wire, pop

WAIT_S = 1.0
PATIENCE_S = 3.0
"""Until a Redis that says nothing counts as gone; more than a wait."""
TELL_EVERY_S = 1.0
TOLD_MS = 5000
"""Not heard of for so long, a worker is gone, and a model without others must be loaded first."""

Lanes = Mapping[str, str]
"""Model keys by the lists on which to wait."""


class Seat:
    """For one thread at a time. Answers can be sent along with the next wait, in one go."""

    def __init__(self, url: str, reader_id: str) -> None:
        self.nudge = nudge_key(reader_id)
        self.waiting = False
        """It has said that it waits; what comes is its own to hear."""
        self._wire = Wire(url)
        self._lanes: Lanes = {}
        self._told_s = float("-inf")
        self._turn = 0

    def wait(self, lanes: Lanes, first: Sequence[Command] = ()) -> list[Any]:
        """The answers to what is said first; also those that are errors, of Redis."""
        self.waiting = True
        self._lanes = lanes
        self._wire.say([*(command.spoken() for command in first), pop(self._keys(), WAIT_S)], PATIENCE_S)
        return [self._wire.hear_answer(PATIENCE_S) for _ in first]

    def come(self) -> tuple[str | None, bytes] | None:
        """The model key, or None for a nudge, and what came; None when nothing did."""
        popped = cast("Popped", self._wire.hear(PATIENCE_S))
        self.waiting = False
        if popped is None:
            return None
        key, entry = popped
        return self._lanes.get(key.decode()), entry

    def is_told(self, lanes: Lanes) -> bool:
        """That these are served, and what is in hand: once a second, and new lanes at once."""
        return lanes is self._lanes and time.monotonic() - self._told_s < TELL_EVERY_S

    def tell(self, lanes: Lanes, in_hand: Sequence[str]) -> float:
        """The server's time in milliseconds."""
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
        """Redis gives from the first of them that has something, so each lane is first in its turn."""
        keys = list(self._lanes)
        self._turn = (self._turn + 1) % max(1, len(keys))
        return [self.nudge, *keys[self._turn :], *keys[: self._turn]]
