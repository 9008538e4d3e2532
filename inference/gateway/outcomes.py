"""Define the outcome of a call, and the simple way to get one: a run by RPC."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from inference.core.contracts import Json, Units, WorkOutput
from inference.gateway.cache_wishes import CacheNote, CacheWish
from inference.gateway.call_pools import pool_of_call
from inference.gateway.exchange import Exchange
from inference.gateway.targets import Target
from inference.rpc import AsyncLaneClient
from inference.rpc.answers import NOTHING_SPENT, LaneAnswer, SpentMs
from inference.rpc.works import LaneWork


@dataclass(frozen=True, slots=True)
class Question:
    """A call with everything that its answer depends on."""

    target: Target
    work: LaneWork
    parameters: Mapping[str, Json]
    """The parameters, with defaults filled in."""
    kind: str
    """The kind of input, as in a model's `accepts`."""


@dataclass(frozen=True, slots=True)
class Outcome:
    output: WorkOutput
    ran: Units | None
    """The units that a model ran for the call, or None if no model ran."""
    known: Units | None
    """The units that came from the cache, or None if there were none."""
    note: CacheNote
    queue_ms: float = 0.0
    run_ms: float = 0.0
    spent: SpentMs = NOTHING_SPENT
    written_s: float = 0.0
    """The Unix time at which the oldest part was computed, or 0 if the answer is not to be cached as a whole."""

    def for_one_who_joined(self) -> "Outcome":
        """Return the outcome for a caller who joined the run of another. Nothing was run for this caller."""
        if self.ran is None:
            return self
        note, units = CacheNote("COALESCED"), self.output.units
        # The caller for whom it ran caches the result once it is paid for.
        return Outcome(self.output, None, units, note, self.queue_ms, self.run_ms, self.spent)


class Answers(Protocol):
    """The way in which calls are answered. Each event loop has one."""

    async def outcome(self, exchange: Exchange, wish: CacheWish, asked: Question, *, deadline_s: float) -> Outcome:
        """Return the outcome of the call. Raises what the model or the RPC raises, and DeadlinePassed or ClientGone
        through the exchange.
        """


class FreshRuns:
    """Answers each call with a run of its own, which is neither shared nor cached."""

    def __init__(self, lane: AsyncLaneClient) -> None:
        self._lane = lane

    async def outcome(self, exchange: Exchange, _wish: CacheWish, asked: Question, *, deadline_s: float) -> Outcome:
        async with exchange.call(deadline_s) as call:
            pool = await pool_of_call(asked.target)
            answer = await self._lane.call(
                pool.key, asked.work, asked.parameters, call, strategy=pool.strategy, pools=asked.target.call_pools
            )
        return ran(answer, CacheNote("BYPASS"))


def ran(answer: LaneAnswer, note: CacheNote, written_s: float = 0.0) -> Outcome:
    output = answer.output
    return Outcome(output, output.units, None, note, answer.queue_ms, answer.run_ms, answer.spent, written_s)
