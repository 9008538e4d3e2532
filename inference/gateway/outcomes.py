"""What comes of a call, and the plain way to it: a run in the lane."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from inference.core.contracts import Json, Units, WorkOutput
from inference.gateway.cache_wishes import CacheNote, CacheWish
from inference.gateway.exchange import Exchange
from inference.gateway.targets import Target
from inference.rpc import AsyncLaneClient
from inference.rpc.answers import NOTHING_SPENT, LaneAnswer, SpentMs
from inference.rpc.works import LaneWork


@dataclass(frozen=True, slots=True)
class Question:
    """A call, with all that its answer depends on."""

    target: Target
    work: LaneWork
    parameters: Mapping[str, Json]
    """With defaults filled in."""
    kind: str
    """As in a model's `accepts`."""


@dataclass(frozen=True, slots=True)
class Outcome:
    output: WorkOutput
    ran: Units | None
    """What a model did for it; None where none did."""
    known: Units | None
    """What was known; None where nothing was."""
    note: CacheNote
    queue_ms: float = 0.0
    run_ms: float = 0.0
    spent: SpentMs = NOTHING_SPENT
    written_s: float = 0.0
    """Unix time: since when its oldest part is known; 0 where it is not to be kept as a whole."""

    def for_one_who_joined(self) -> "Outcome":
        """Nothing was run for this caller."""
        if self.ran is None:
            return self
        note, units = CacheNote("COALESCED"), self.output.units
        # Whom it ran for keeps it, once that is paid for.
        return Outcome(self.output, None, units, note, self.queue_ms, self.run_ms, self.spent)


class Answers(Protocol):
    """One for each event loop."""

    async def outcome(
        self, exchange: Exchange, wish: CacheWish, asked: Question, *, deadline_s: float
    ) -> Outcome:
        """Raises what the model or the lane raises; DeadlinePassed and ClientGone by the exchange."""


class FreshRuns:
    """Every call is a run of its own, which nobody shares and nothing is kept of."""

    def __init__(self, lane: AsyncLaneClient) -> None:
        self._lane = lane

    async def outcome(
        self, exchange: Exchange, _wish: CacheWish, asked: Question, *, deadline_s: float
    ) -> Outcome:
        async with exchange.call(deadline_s) as call:
            answer = await self._lane.call(asked.target.key, asked.work, asked.parameters, call)
        return ran(answer, CacheNote("BYPASS"))


def ran(answer: LaneAnswer, note: CacheNote, written_s: float = 0.0) -> Outcome:
    output = answer.output
    return Outcome(output, output.units, None, note, answer.queue_ms, answer.run_ms, answer.spent, written_s)
