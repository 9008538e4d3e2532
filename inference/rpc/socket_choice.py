"""Chooses which worker of this machine serves a call, by the strategy of its pool. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

STICKY, LEAST_OUTSTANDING, RESPONSE_TIME, RANDOM = "sticky", "least-outstanding", "response-time", "random"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A worker that has the model, as this process knows it."""

    room: int
    """The further calls of the model that it takes from the tenant."""
    outstanding: int = 0
    """The calls of all models that it has from this process."""
    of_model: int = 0
    """The calls of the model among them."""
    service_s: float = 0.0
    """The recent time to the answer of a call of the model. It is 0 if it has answered none."""


def choose(candidates: Sequence[Candidate], strategy: str, draw: Callable[[], float]) -> int | None:
    """Return the position of the worker, or None if none takes the call. `draw` returns a number from 0 to below 1."""
    able = [position for position, candidate in enumerate(candidates) if candidate.room > 0]
    if not able:
        return None
    if strategy == RANDOM:
        return able[int(draw() * len(able))]
    cost = _COSTS.get(strategy, _COSTS[STICKY])
    return min(able, key=lambda position: (*cost(candidates[position]), position))


# Between equals, the worker with the most room serves. All of them hold the model, so that nothing has to leave.
_COSTS: Mapping[str, Callable[[Candidate], tuple[float, float]]] = {
    STICKY: lambda one: (-one.room, one.outstanding),
    LEAST_OUTSTANDING: lambda one: (one.outstanding, -one.room),
    # The answers of a worker that has given none are soon known.
    RESPONSE_TIME: lambda one: ((one.of_model + 1) * one.service_s, -one.room),
}
